import PatchbayJSON
import PatchbayRegistry
import Testing

@Suite("Sentences of failed look-ups")
struct LookupFailureTests {
    struct User: Decodable, Sendable {
        let age: Int
        let born: Born
        struct Born: Decodable, Sendable { let year: Int }
    }

    /// An error without a description, which holds what no sentence should.
    enum Leaky: Error {
        case token(String)
        case plain
    }
    struct LeakyStruct: Error { let secret = "s3cret" }

    struct Throwing: ResponseSerializer {
        let error: any Error
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { throw error }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let entries: String
        var policy = "{}"
        var contentType: String? = "a/b"
        let sentence: String
        var testDescription: String { sentence }
    }

    static let cases = [
        Case(
            entries: #"{ "id": "t", "factory": "text", "match": { "types": ["c/d"] } }"#,
            policy: #"{ "noMatch": "error" }"#,
            sentence: "no entry serializes a/b with status 200; asked: t (declined)"),
        Case(
            entries: "", policy: #"{ "noMatch": "error" }"#,
            sentence: "no entry serializes a/b with status 200; no entry was asked"),
        Case(
            entries: "", policy: #"{ "missingContentType": "error" }"#, contentType: nil,
            sentence: "the response has no Content-Type, and no entry takes one without; no entry was asked"),
        Case(
            entries: "", policy: #"{ "invalidContentType": "error" }"#, contentType: "se cret",
            sentence: "the response has an invalid Content-Type, and no entry takes one without; no entry was asked"),
        Case(
            entries: #"{ "id": "b", "factory": "broken" }"#,
            sentence: "the entry b could not serialize a/b with status 200: it is broken; asked: b (failed)"),
        Case(
            entries: #"{ "id": "j", "factory": "json", "limits": { "maxBodyBytes": 1 } }"#,
            sentence:
                "the entry j cannot take a/b with status 200: the body has more than the 1 bytes that are allowed; "
                + "asked: j (failed)"),
        Case(
            entries: #"{ "id": "j", "factory": "json" }"#,
            sentence:
                "the entry j could not serialize a/b with status 200: line 1, column 2: expected a key in double quotes; "
                + "asked: j (failed)"),
        Case(
            entries: #"{ "id": "c", "factory": "cancelled" }"#,
            sentence: "the call was cancelled while the entry c worked on a/b with status 200; asked: c"),
        Case(
            entries: (0..<12).map { #"{ "id": "e\#($0)", "factory": "text", "match": { "types": ["c/d\#($0)"] } }"# }
                .joined(separator: ","), policy: #"{ "noMatch": "error" }"#,
            sentence: "no entry serializes a/b with status 200; asked: "
                + (0..<8).map { "e\($0) (declined)" }.joined(separator: ", ") + " and 4 more"),
    ]

    @Test("the thing, the reason, and what was tried", arguments: cases)
    func sentence(_ test: Case) throws {
        let registry = try SerializerRegistry.entries(test.entries, #""policy": \#(test.policy)"#)
        let failure = try #require(throws: LookupFailure.self) {
            try registry.explain(contentType: test.contentType).serialize(ResponseBody(text: "{x"))
        }
        #expect(failure.description == test.sentence)
    }

    static let malformed = [
        (#"{"born":{"year":1}}"#, #"the key "age" is missing"#),
        (#"{"age":"s3cret","born":{"year":1}}"#, "expected Int at /age"),
        (#"{"age":1,"born":{"year":null}}"#, "expected Int, found null at /born/year"),
        (#"{"age":1.5,"born":{"year":1}}"#, "the value is not valid at /age"),
    ]

    @Test("a decoding error by kind and place, without the value", arguments: malformed)
    func decoding(_ body: String, _ reason: String) throws {
        let decision = try SerializerRegistry.entries(#"{ "id": "j", "factory": "json" }"#).explain(contentType: "a/b")
        let failure = try #require(throws: LookupFailure.self) {
            try decision.serialize(ResponseBody(text: body), as: User.self)
        }
        #expect(failure.attempts.map(\.description) == ["j: \(reason)"])
    }

    static let errors: [(any Error & Sendable, String)] = [
        (Leaky.token("s3cret"), "(request): Leaky.token"), (Leaky.plain, "(request): Leaky.plain"),
        (LeakyStruct(), "(request): LeakyStruct"),
        (Broken(description: "a\nb\u{1B}[31m\u{202E}c"), "(request): a b [31m c"),
        (
            Broken(description: String(repeating: "x", count: 400)),
            "(request): " + String(repeating: "x", count: 300) + "…"
        ),
    ]

    @Test("an error that says nothing of itself is named, and no sentence spans lines", arguments: errors.indices)
    func leaky(_ index: Int) throws {
        let (error, sentence) = Self.errors[index]
        let decision = try SerializerRegistry.entries("").explain(
            contentType: "a/b", override: LookupOverride(using: .serializer(Throwing(error: error))))
        let failure = try #require(throws: LookupFailure.self) { try decision.serialize(ResponseBody(text: "x")) }
        #expect(failure.attempts.map(\.description) == [sentence])
        #expect(!failure.description.contains("s3cret"))
    }

    @Test("a long media type is cut, and its parameters are never shown")
    func longType() throws {
        let registry = try SerializerRegistry.entries("", #""policy": { "noMatch": "error" }"#)
        let type = "a/" + String(repeating: "b", count: 5000)
        let failure = try #require(throws: LookupFailure.self) {
            try registry.explain(contentType: type + ";token=s3cret").serialize(ResponseBody(text: "x"))
        }
        #expect(failure.description == "no entry serializes \(type.prefix(100))… with status 200; no entry was asked")
    }
}
