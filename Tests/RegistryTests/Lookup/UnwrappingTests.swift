import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

/// Bodies inside something: DESIGN, section 4, "unwrapping".
@Suite("Unwrapping")
struct UnwrappingTests {
    /// Takes off a first line that names the media type of the rest.
    struct Envelope: UnwrappingSerializer {
        func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType) {
            let lines = String(decoding: body.data, as: UTF8.self).split(
                separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard lines.count == 2, let type = MediaType(parsing: String(lines[0])) else { throw Broken() }
            return (ResponseBody(text: String(lines[1])), type)
        }
    }

    struct User: Decodable, Sendable, Equatable { let name: String }

    private func registry(_ entries: String, _ more: String = "") throws -> SerializerRegistry {
        var factories = try SerializerFactories.fixtures()
        try factories.register("envelope") { Envelope() }
        try factories.register("charset") {
            MadeSerializer { _, head in head.mediaType?[parameter: "charset"] ?? "none" }
        }
        try factories.register("same") {
            MadeUnwrapping { body, head in (body, try #require(head.mediaType)) }
        }
        let text = #"{ "manifestVersion": 1, "plugins": [\#(entries)] \#(more.isEmpty ? "" : ", " + more) }"#
        return try SerializerRegistry(sources: [.text(text, name: "Plugins.json")], factories: factories)
    }

    static let json = #"{ "id": "json", "factory": "json", "match": { "types": ["@json"] } }"#
    static let text = #"{ "id": "text", "factory": "text", "match": { "types": ["text/*"] } }"#
    static func envelope(_ id: String = "envelope", _ more: String = "", types: String = "app/envelope") -> String {
        #"{ "id": "\#(id)", "factory": "envelope", "match": { "types": ["\#(types)"] }\#(more) }"#
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var entries: String
        var policy = "{}"
        var contentType: String? = "app/envelope"
        var status = 200
        let body: String
        /// The entry and the outcome, or the code of the failure.
        let outcome: String
        var attempts: [String] = []
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "the entries behind it, under the type inside", entries: "\(envelope()), \(json)",
            body: "application/json\n[1]", outcome: "entry json"),
        Case(
            name: "an entry before it is not asked again", entries: "\(json), \(envelope())",
            body: "application/json\n[1]", outcome: "raw"),
        Case(
            name: "an envelope in another, by two entries", entries: "\(envelope("a")), \(envelope("b")), \(json)",
            body: "app/envelope\napplication/json\n[1]", outcome: "entry json"),
        Case(
            name: "each unwraps once", entries: "\(envelope()), \(json)", body: "app/envelope\napplication/json\n[1]",
            outcome: "raw"),
        Case(
            name: "nor again by a policy that names it", entries: "\(envelope()), \(json)",
            policy: #"{ "noMatch": "envelope" }"#, body: "app/envelope\napplication/json\n[1]", outcome: "raw"),
        Case(
            name: "none covers what is inside: noMatch", entries: "\(envelope()), \(json)",
            policy: #"{ "noMatch": "error" }"#, body: "a/b\nx", outcome: "noMatch"),
        Case(
            name: "it throws", entries: "\(envelope()), \(json)", body: "[1]", outcome: "serialization",
            attempts: ["envelope"]),
        Case(
            name: "it throws, next: over the bytes received",
            entries: #"\#(envelope("envelope", #", "onFailure": "next""#)), { "id": "any", "factory": "text" }"#,
            body: "[1]", outcome: "entry any", attempts: ["envelope"]),
        Case(
            name: "it throws, raw", entries: envelope("envelope", #", "onFailure": "raw""#), body: "[1]",
            outcome: "raw",
            attempts: ["envelope"]),
        Case(
            name: "what is inside is malformed", entries: "\(envelope()), \(json)", body: "application/json\n[1",
            outcome: "serialization", attempts: ["json"]),
        Case(
            name: "failures before and behind it are all told",
            entries: """
                { "id": "b1", "factory": "broken", "onFailure": "next" }, \(envelope()),
                { "id": "b2", "factory": "broken", "onFailure": "next" }, \(json)
                """, body: "application/json\n[1]", outcome: "entry json", attempts: ["b1", "b2"]),
        Case(name: "nothing inside", entries: "\(envelope()), \(json)", body: "application/json\n", outcome: "empty"),
        Case(name: "1.2.5: no bytes are not unwrapped", entries: "\(envelope()), \(json)", body: "", outcome: "empty"),
        Case(
            name: "what is inside passes no limit of the policy", entries: envelope("envelope", "", types: "app/*"),
            policy: #"{ "limits": { "maxBodyBytes": 4 } }"#, body: "a/b\n", outcome: "empty"),
    ]

    @Test("1.2.6: a dynamic call through an unwrapping entry", arguments: cases)
    func dynamic(_ test: Case) throws {
        let decision = try registry(test.entries, #""policy": \#(test.policy)"#)
            .explain(contentType: test.contentType, status: test.status)
        do throws(LookupFailure) {
            let result = try decision.serialize(ResponseBody(text: test.body))
            #expect([result.outcome.rawValue, result.entry].compactMap(\.self).joined(separator: " ") == test.outcome)
            #expect(result.attempts.map(\.entry) == test.attempts)
        } catch {
            #expect(error.code.rawValue == test.outcome)
            #expect(error.attempts.map(\.entry) == test.attempts)
        }
    }

    @Test("a typed call goes through it, for a type, for text, and not for bytes")
    func typed() throws {
        let registry = try registry("\(Self.envelope()), \(Self.json)")
        let body = ResponseBody(text: "application/json\n{\"name\":\"a\"}")
        func value<Value: Sendable>(_ type: Value.Type) throws -> Value {
            try registry.explain(contentType: "app/envelope", producing: .type(type)).serialize(body, as: type).value
        }
        #expect(try value(User.self) == User(name: "a"))
        #expect(try value(JSON.self) == ["name": "a"])
        #expect(try value(String.self) == "{\"name\":\"a\"}")
        #expect(try value(ResponseBody.self) == body)
        let failure = try #require(throws: LookupFailure.self) {
            try registry.explain(contentType: "app/envelope", producing: .type(User.self))
                .serialize(ResponseBody(text: "a/b\nx"), as: User.self)
        }
        #expect(failure.code == .noEntryProduces)
        #expect(failure.body == ResponseBody(text: "x"))
    }

    @Test("serializers behind it see the type inside; the raw outcome is what is inside")
    func head() throws {
        let registry = try registry(
            #"\#(Self.envelope()), { "id": "c", "factory": "charset", "match": { "types": ["a/b"] } }"#)
        let decision = registry.explain(contentType: "app/envelope; charset=x")
        #expect(try decision.serialize(ResponseBody(text: "a/b;charset=y\nz")).value as? String == "y")
        let raw = try decision.serialize(ResponseBody(text: "c/d\nz"))
        #expect(raw.value as? ResponseBody == ResponseBody(text: "z"))
        #expect(raw.unwrapped?.head.contentType == ContentType(["Content-Type": "c/d"]))
        #expect(decision.head.mediaType?.essence == "app/envelope")
    }

    @Test("the reasons tell both look-ups, before and after the body")
    func reasons() throws {
        let decision = try registry(
            "\(Self.text), \(Self.envelope()), \(Self.text.replacing(#""id": "text""#, with: #""id": "text2""#)), \(Self.json)"
        )
        .explain(contentType: "app/envelope")
        #expect(decision.entryID == "envelope")
        let first = [
            "text: declined: app/envelope is outside text/*",
            "envelope: chosen: covers app/envelope with status 200, and unwraps it",
        ]
        #expect(decision.description == first.joined(separator: "\n"))
        let good = try decision.serialize(ResponseBody(text: "application/json\n[1]"))
        let rest = [
            "text2: declined: application/json is outside text/*",
            "json: chosen: covers application/json with status 200",
        ]
        #expect(good.unwrapped?.description == (first + rest).joined(separator: "\n"))
        let failure = try #require(throws: LookupFailure.self) {
            try decision.serialize(ResponseBody(text: "application/json\n["))
        }
        #expect(failure.tried.map(\.verdict) == [.declined, .chosen, .declined, .failed])
        #expect(failure.entry == "json")
    }

    @Test("named by the request, or brought by it")
    func override() throws {
        let registry = try registry("\(Self.json), \(Self.envelope()), \(Self.text)")
        let body = ResponseBody(text: "text/x\n1")
        let named = registry.explain(contentType: "a/b", override: LookupOverride(using: .entry("envelope")))
        #expect(try named.serialize(body).entry == "text")
        let brought = registry.explain(contentType: "a/b", override: LookupOverride(using: .serializer(Envelope())))
        #expect(try brought.serialize(ResponseBody(text: "application/json\n1")).entry == "json")
    }

    @Test("Accept is derived as if it were not there, and it hides no entry")
    func acceptAndLint() throws {
        let plain = try registry(Self.json)
        let wrapped = try registry(
            #"{ "id": "a", "factory": "same" }, { "id": "b", "factory": "same" }, \#(Self.json)"#)
        #expect(wrapped.accept(for: nil) == plain.accept(for: nil))
        #expect(
            wrapped.accept(for: nil, producing: .type(User.self)) == plain.accept(for: nil, producing: .type(User.self))
        )
        #expect(try wrapped.explain(contentType: "application/json").serialize(ResponseBody(text: "1")).entry == "json")
        let behind = Self.json.replacing(#""id": "json""#, with: #""id": "json2""#)
        _ = try registry(#"\#(Self.json), { "id": "b", "factory": "same" }, \#(behind)"#)
        #expect(throws: ManifestFailure.self) { try registry("\(Self.json), \(behind)") }
    }

    @Test("1.2.21: a serializer made from a closure")
    func closure() throws {
        let serializer = MadeSerializer { body, head in "\(head.status) \(body.count)" }
        let decision = try registry(Self.json).explain(
            contentType: "application/json", override: LookupOverride(using: .serializer(serializer)))
        #expect(try decision.serialize(ResponseBody(text: "[1]")).value as? String == "200 3")
        #expect(!serializer.acceptsEmptyBody)
        let throwing = MadeSerializer<Int>(acceptsEmptyBody: true) { _, _ in throw Broken() }
        let failing = try registry(Self.json).explain(
            contentType: nil, override: LookupOverride(using: .serializer(throwing)))
        #expect(throws: LookupFailure.self) { try failing.serialize(.empty) }
    }
}
