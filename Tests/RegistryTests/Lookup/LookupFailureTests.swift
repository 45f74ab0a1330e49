import Foundation
import PatchbayJSON
import PatchbayRegistry
import TestSupport
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
            sentence: "no entry serializes a/b with status 200; the only entry, t, does not cover this type"),
        Case(
            entries: "", policy: #"{ "noMatch": "error" }"#,
            sentence: "no entry serializes a/b with status 200; there are no entries"),
        Case(
            entries: "", policy: #"{ "missingContentType": "error" }"#, contentType: nil,
            sentence: "the response has no Content-Type, and no entry takes one without; there are no entries"),
        Case(
            entries: "", policy: #"{ "invalidContentType": "error" }"#, contentType: "se cret",
            sentence: "the response has an invalid Content-Type, and no entry takes one without; there are no entries"),
        Case(
            entries: #"{ "id": "b", "factory": "broken" }"#,
            sentence: "the entry b could not serialize a/b with status 200: Broken; asked: b (failed)"),
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
            sentence: "no entry serializes a/b with status 200; none of the 12 entries covers this type"),
        Case(
            entries: (0..<12).map { #"{ "id": "e\#($0)", "factory": "text", "match": { "types": ["c/d\#($0)"] } }, "# }
                .joined() + #"{ "id": "b", "factory": "broken" }"#,
            sentence: "the entry b could not serialize a/b with status 200: Broken; "
                + "asked: b (failed), and 12 that do not cover a/b"),
        Case(
            entries: (0..<12).map {
                #"{ "id": "e\#($0)", "factory": "text", "match": { "types": ["a/b;v=\#($0)"] } }, "#
            }.joined() + #"{ "id": "b", "factory": "broken" }"#,
            sentence: "the entry b could not serialize a/b with status 200: Broken; asked: b (failed), "
                + (0..<7).map { "e\($0) (declined)" }.joined(separator: ", ") + " and 5 more"),
        Case(
            entries: #"{ "id": "other", "factory": "text", "match": { "types": ["a/b"], "status": ["4XX"] } }, "#
                + #"{ "id": "far", "factory": "text", "match": { "types": ["c/d"] } }"#,
            policy: #"{ "noMatch": "error" }"#,
            sentence:
                "no entry serializes a/b with status 200; asked: other (declined), and 1 that does not cover a/b"),
    ]

    @Test("the thing, the reason, and what was tried", arguments: cases)
    func sentence(_ test: Case) throws {
        let registry = try SerializerRegistry.entries(test.entries, #""policy": \#(test.policy)"#)
        let failure = try #require(throws: LookupFailure.self) {
            try registry.explain(contentType: test.contentType).serialize(ResponseBody(text: "{x"))
        }
        #expect(failure.description == test.sentence)
    }

    /// Every code, with what asks for the value and the body that it is asked of.
    struct Coded: Sendable, CustomTestStringConvertible {
        let code: LookupFailure.Code
        var entries = #"{ "id": "j", "factory": "json", "match": { "types": ["a/b"] } }"#
        var policy = "{}"
        var contentType: String? = "a/b"
        var override = LookupOverride.none
        var body = ResponseBody(text: "{x")
        var makesUser = false
        var makesText = false
        let sentence: String
        var testDescription: String { code.rawValue }
    }

    static let codes: [Coded] = [
        Coded(
            code: .noMatch, policy: #"{ "noMatch": "error" }"#, contentType: "c/d",
            sentence: "no entry serializes c/d with status 200; the only entry, j, does not cover this type"),
        Coded(
            code: .noEntryProduces, contentType: "c/d", makesUser: true,
            sentence:
                #"no entry makes User from c/d with status 200; to have j read it, set request.using = .entry("j"), "#
                + #"or "types": ["c/d"] in an entry, or "noMatch": "j" in the policy; the only entry, j, does not cover this type"#
        ),
        Coded(
            code: .missingContentType, policy: #"{ "missingContentType": "error" }"#, contentType: nil,
            sentence:
                "the response has no Content-Type, and no entry takes one without; the only entry, j, does not cover such a response"
        ),
        Coded(
            code: .invalidContentType, policy: #"{ "invalidContentType": "error" }"#, contentType: "se cret",
            sentence:
                "the response has an invalid Content-Type, and no entry takes one without; the only entry, j, does not cover such a response"
        ),
        Coded(
            code: .emptyBody, body: .empty, makesUser: true,
            sentence: "the body is empty, and so makes no User, for a/b with status 200; asked: j"),
        Coded(
            code: .emptyBody, policy: #"{ "empty": { "otherwise": "error" } }"#, body: .empty,
            sentence: "the body is empty for a/b with status 200; asked: j"),
        Coded(
            code: .serialization,
            sentence:
                "the entry j could not serialize a/b with status 200: line 1, column 2: "
                + "expected a key in double quotes; asked: j (failed)"),
        Coded(
            code: .serialization, override: LookupOverride(using: .serializer(Throwing(error: Leaky.plain))),
            sentence:
                "the serializer of the request could not serialize a/b with status 200: Leaky.plain; "
                + "asked: (request) (failed)"),
        Coded(
            code: .bodyTooLarge, entries: #"{ "id": "j", "factory": "json", "limits": { "maxBodyBytes": 1 } }"#,
            sentence:
                "the entry j cannot take a/b with status 200: the body has more than the 1 bytes that are allowed; "
                + "asked: j (failed)"),
        Coded(
            code: .undecodableText, body: ResponseBody([0x61, 0xFF]), makesText: true,
            sentence:
                "the body cannot be read as text for a/b with status 200: the body is not valid UTF-8 at byte 1; "
                + "asked: j (declined)"),
        Coded(
            code: .undecodableText, contentType: "a/b;charset=utf-7", makesText: true,
            sentence:
                "the body cannot be read as text for a/b with status 200: the charset utf-7 is not known; "
                + "the option charsetOverride can set another; asked: j (declined)"),
        Coded(
            code: .undecodableText, contentType: "a/b;charset=hz-gb-2312", makesText: true,
            sentence:
                "the body cannot be read as text for a/b with status 200: "
                + "text in the charset replacement cannot be decoded here; the option charsetOverride can set another; "
                + "asked: j (declined)"),
        Coded(
            code: .unknownEntry, override: LookupOverride(using: .entry("nobody")),
            sentence:
                #"the request names the entry "nobody", which the registry does not have; asked: nobody (declined)"#),
        Coded(
            code: .entryUnavailable, entries: #"{ "id": "j", "factory": "json", "enabled": false }"#,
            override: LookupOverride(using: .entry("j")),
            sentence:
                "the request names an entry that is not available: j declined, it is switched off; asked: j (declined)"),
        Coded(
            code: .cancelled, entries: #"{ "id": "c", "factory": "cancelled" }"#,
            sentence: "the call was cancelled while the entry c worked on a/b with status 200; asked: c"),
    ]

    @Test("every code and its sentence", arguments: codes)
    func code(_ test: Coded) throws {
        let registry = try SerializerRegistry.entries(test.entries, #""policy": \#(test.policy)"#)
        let decision = registry.explain(contentType: test.contentType, override: test.override)
        let failure = try #require(throws: LookupFailure.self) {
            if test.makesUser {
                _ = try decision.serialize(test.body, as: User.self)
            } else if test.makesText {
                _ = try decision.serialize(test.body, as: String.self)
            } else {
                _ = try decision.serialize(test.body)
            }
        }
        #expect(failure.code == test.code)
        #expect(failure.description == test.sentence)
    }

    /// A typed call that nobody answers, and what its sentence says beside the reason.
    struct Advised: Sendable, CustomTestStringConvertible {
        var entries = #"{ "id": "j", "factory": "json", "match": { "types": ["@json"] } }"#
        var contentType: String?
        var status = 200
        var host: String? = "legacy.example:8080"
        var override = LookupOverride.none
        var isDecodable = true
        let advice: String
        var testDescription: String { advice.isEmpty ? "no advice" : advice }
    }

    struct Opaque: Sendable {}

    static let text = #"{ "id": "t", "factory": "text", "match": { "types": ["text/*"] } }, "#
    static let advised = [
        Advised(
            contentType: "application/json", isDecodable: false,
            advice: ": j declined, it makes JSON, not Opaque, which is not Decodable"),
        Advised(
            entries: text + Advised(contentType: nil, advice: "").entries, contentType: "text/html", isDecodable: false,
            advice: ": t declined, it makes String, not Opaque"),
        Advised(contentType: "c/d", isDecodable: false, advice: ""),
        Advised(
            entries: #"{ "id": "x", "factory": "none", "optional": true, "match": { "types": ["c/d"] } }, "#
                + Advised(contentType: nil, advice: "").entries,
            contentType: "c/d", advice: ": x declined, factory none is not in this build"),
        Advised(
            contentType: nil,
            advice: #"; to have j read it, set request.using = .entry("j"), or "missingContentType": "j" in the policy"#
        ),
        Advised(
            contentType: "se cret",
            advice: #"; to have j read it, set request.using = .entry("j"), or "invalidContentType": "j" in the policy"#
        ),
        Advised(
            entries: text + Advised(contentType: nil, advice: "").entries, contentType: "text/html; charset=utf-8",
            advice:
                #"; to have j read it, set request.using = .entry("j"), or "types": ["text/html"] in an entry of the "#
                + #"host legacy.example:8080, or "noMatch": "j" in the policy"#),
        Advised(
            contentType: "application/octet-stream", host: nil,
            advice:
                #"; to have j read it, set request.using = .entry("j"), or "types": ["application/octet-stream"] in an entry, "#
                + #"or "noMatch": "j" in the policy"#),
        // An entry for JSON is proposed before one of another format, wherever it stands.
        Advised(
            entries: #"{ "id": "own", "factory": "json", "match": { "types": ["e/f"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d", host: nil,
            advice:
                #"; to have j read it, set request.using = .entry("j"), or "types": ["c/d"] in an entry, "#
                + #"or "noMatch": "j" in the policy"#),
        // Who has a type of its own is not read by someone else, and what the request excludes is not proposed.
        Advised(
            entries: #"{ "id": "n", "factory": "count", "match": { "types": ["c/d"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d",
            advice: ": n declined, it makes Int, not User"),
        Advised(contentType: "c/d", override: LookupOverride(excluding: ["j"]), advice: ""),
        Advised(
            entries: #"{ "id": "j", "factory": "json", "match": { "types": ["@json"], "status": ["4XX"] } }"#,
            contentType: "c/d", advice: ""),
        Advised(
            contentType: "c/d", override: LookupOverride(using: .serializer(TextFixture())),
            advice: ": (request) declined, it makes String, not User"),
        // An entry for the type but another status, wish or parameter comes before an entry for other types.
        Advised(
            entries: #"{ "id": "p", "factory": "json", "match": { "types": ["a/p"], "status": ["4XX"] } }, "#
                + #"{ "id": "own", "factory": "json", "match": { "types": ["c/d"], "status": ["2XX"] } }"#,
            contentType: "c/d", status: 404, override: LookupOverride(acceptableStatus: .any),
            advice: ": own declined, status 404 is outside 2XX"),
        Advised(
            entries: #"{ "id": "own", "factory": "json", "match": { "types": ["c/d"], "status": ["200"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d", status: 201,
            advice: ": own declined, status 201 is outside 200"),
        // An entry for another status that cannot make the type is no help.
        Advised(
            entries: #"{ "id": "own", "factory": "count", "match": { "types": ["c/d"], "status": ["200"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d", status: 201, host: nil,
            advice:
                #"; to have j read it, set request.using = .entry("j"), or "types": ["c/d"] in an entry, "#
                + #"or "noMatch": "j" in the policy"#),
        Advised(
            entries: #"{ "id": "rows", "factory": "json", "match": { "types": ["c/d"], "wanted": "elements" } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d",
            advice:
                ": rows declined, it is for elements or an array of them, not for User; ask for an array or a stream"),
        Advised(
            entries: #"{ "id": "v2", "factory": "json", "match": { "types": ["c/d;version=2", "c/d;version=3"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d; version=1; x=y",
            advice: ": v2 declined, c/d;version=1 is outside c/d;version=2, c/d;version=3: its version is 1, not 2 or 3"
        ),
        Advised(
            entries: #"{ "id": "v2", "factory": "json", "match": { "types": ["c/d;version=2"] } }, "#
                + Advised(contentType: nil, advice: "").entries, contentType: "c/d",
            advice: ": v2 declined, c/d is outside c/d;version=2: it has no version"),
        // What a server sends writes no sentence.
        Advised(
            entries: #"{ "id": "v2", "factory": "json", "match": { "types": ["c/d;version=2"] } }"#,
            contentType: #"c/d; version="2; json: chosen""#,
            advice:
                #": v2 declined, c/d;version="2; json: chosen" is outside c/d;version=2: its version is "2; json: chosen", not 2"#
        ),
        Advised(
            entries: #"{ "id": "v2", "factory": "json", "match": { "types": ["c/d;v=2;x=1", "c/d;v=1;x=2"] } }"#,
            contentType: "c/d;v=1;x=1",
            advice: ": v2 declined, c/d;v=1 is outside c/d;v=2;x=1, c/d;v=1;x=2: its v is 1, not 2"),
        // A type that names its format is not read as another format.
        Advised(contentType: "application/a+json-seq", advice: ""),
        Advised(contentType: "text/event-stream", advice: ""),
        Advised(contentType: "multipart/mixed; boundary=x", advice: ""),
        Advised(contentType: "image/png", advice: ""),
    ]

    @Test("a typed call that nobody answers says what would help, or who came closest and why not", arguments: advised)
    func advice(_ test: Advised) throws {
        let decision = try SerializerRegistry.entries(test.entries).explain(
            contentType: test.contentType, status: test.status, host: test.host, override: test.override)
        let body = ResponseBody(text: #"{"age": 1, "born": {"year": 2}}"#)
        let failure = try #require(throws: LookupFailure.self) {
            if test.isDecodable {
                _ = try decision.serialize(body, as: User.self)
            } else {
                _ = try decision.serialize(body, as: Opaque.self)
            }
        }
        let sentence = failure.description
        let start = try #require(sentence.firstRange(of: " with status \(test.status)")).upperBound
        #expect(sentence[start..<(try #require(sentence.ranges(of: "; ").last)).lowerBound] == test.advice)
    }

    @Test("what the sentence proposes has the entry read the response")
    func adviceHelps() throws {
        let entries = Self.text + Advised(contentType: nil, advice: "").entries
        let body = ResponseBody(text: #"{"age": 1, "born": {"year": 2}}"#)
        for type in ["text/html", "application/octet-stream", "se cret", nil] {
            let plain = try SerializerRegistry.entries(entries)
            let using = plain.explain(contentType: type, override: LookupOverride(using: .entry("j")))
            #expect(try using.serialize(body, as: User.self).value.age == 1)
            let key = type == nil ? "missingContentType" : type == "se cret" ? "invalidContentType" : "noMatch"
            let policy = try SerializerRegistry.entries(entries, #""policy": { "\#(key)": "j" }"#)
            #expect(try policy.explain(contentType: type).serialize(body, as: User.self).entry == "j")
        }
    }

    @Test("no code is without a row, nor any reason why text is not read")
    func complete() throws {
        #expect(try DeclaredErrors.codes(of: "LookupFailure.Code") == Set(Self.codes.map(\.code.rawValue)))
        let reasons = try DeclaredErrors.cases(of: "TextDecodingFailure.Reason")
        #expect(reasons == ["unknownCharset", "undecodableCharset", "malformed"])
        #expect(Self.codes.count { $0.code == .undecodableText } == reasons.count)
    }

    static let malformed = [
        (#"{"born":{"year":1}}"#, #"the key "age" is missing"#),
        (#"{"age":"s3cret","born":{"year":1}}"#, "expected Int at /age"),
        (#"{"age":1,"born":{"year":null}}"#, "expected Int, found null at /born/year"),
        (#"{"age":1,"born":[1]}"#, "expected an object at /born"), (#"["s3cret"]"#, "expected an object"),
        ("null", "expected an object, found null"),
        (#"{"age":1.5,"born":{"year":1}}"#, "the number does not fit in Int at /age"),
    ]

    private struct Contract: Decodable {
        let price: Decimal?
        let count: UInt8?
        let start: Date?
        let seal: Data?
        let link: URL?
    }

    @Test(
        "a value of the right kind that the type can't hold is an error with the reason",
        arguments: [
            (#"{"price":1e166}"#, "the number does not fit in Decimal at /price"),
            (#"{"count":256}"#, "the number does not fit in UInt8 at /count"),
            (#"{"start":"s3cret"}"#, "the text is not a date of ISO 8601 at /start"),
            (#"{"seal":"s3cret"}"#, "the text is not Base64 at /seal"),
            (#"{"link":"http://[s3cret"}"#, "the text is not a URL at /link"),
        ])
    func corrupted(_ body: String, _ reason: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSON(parsing: body).decode(Contract.self, options: .init(dates: .iso8601))
        }
        #expect(FailureReason(error).description == reason)
    }

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
        (Broken(), "(request): Broken"),
        (ElementFailure(.line, 3, reason: "a\nb\u{1B}[31m\u{202E}c"), "(request): line 3: a b [31m c"),
        (FormatFailure("csv", .malformed, "a\u{1B}[31m\u{202E}c\ns3cret", line: 3), "(request): csv, line 3: a [31m c"),
        (
            ElementFailure(.line, 3, reason: String(repeating: "x", count: 400)),
            "(request): line 3: " + String(repeating: "x", count: 292) + "…"
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
        #expect(failure.description == "no entry serializes \(type.prefix(100))… with status 200; there are no entries")
    }
}
