import PatchbayJSON
import PatchbayRegistry
import Testing

/// What a dynamic call ends with: DESIGN, "Outcomes".
@Suite("Outcomes")
struct OutcomeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Elements of `plugins`.
        var entries: String
        var policy = "{}"
        var contentType: String? = "a/b"
        var status = 200
        var method = "GET"
        var body = "[1]"
        /// `value entry`, `empty`, `raw` or the code of the failure.
        let outcome: String
        /// The entries that failed, in order.
        var attempts: [String] = []
        var testDescription: String { name }
    }

    private static let broken = #"{ "id": "broken", "factory": "broken" }"#
    private static let json = #"{ "id": "json", "factory": "json" }"#
    private static func broken(_ id: String, _ onFailure: String, types: String = "a/b") -> String {
        #"{ "id": "\#(id)", "factory": "broken", "onFailure": "\#(onFailure)", "match": { "types": ["\#(types)"] } }"#
    }
    private static func limited(_ id: String, _ onFailure: String, _ limit: Int) -> String {
        #"{ "id": "\#(id)", "factory": "json", "onFailure": "\#(onFailure)", "limits": { "maxBodyBytes": \#(limit) } }"#
    }
    private static func text(_ id: String = "text", types: String = "a/b") -> String {
        #"{ "id": "\#(id)", "factory": "text", "match": { "types": ["\#(types)"] } }"#
    }

    static let failing = [
        Case(name: "a value", entries: json, outcome: "entry json"),
        Case(name: "a serializer throws", entries: broken, outcome: "serialization", attempts: ["broken"]),
        Case(
            name: "malformed is an error, not raw", entries: json, contentType: "application/json", body: "[1",
            outcome: "serialization", attempts: ["json"]),
        Case(
            name: "next: the following entry over the same bytes", entries: "\(broken("b1", "next")), \(json)",
            outcome: "entry json", attempts: ["b1"]),
        Case(
            name: "next, and the next fails too", entries: "\(broken("b1", "next")), \(broken("b2", "error")), \(json)",
            outcome: "serialization", attempts: ["b1", "b2"]),
        Case(
            name: "next, and none is left: noMatch raw", entries: "\(broken("b1", "next")), \(broken("b2", "next"))",
            outcome: "raw", attempts: ["b1", "b2"]),
        Case(
            name: "next, and none is left: noMatch error", entries: broken("b1", "next"),
            policy: #"{ "noMatch": "error" }"#,
            outcome: "noMatch", attempts: ["b1"]),
        Case(
            name: "next, and none is left: noMatch names an entry",
            entries: "\(broken("b1", "next")), \(text(types: "c/d"))",
            policy: #"{ "noMatch": "text" }"#, outcome: "entry text", attempts: ["b1"]),
        Case(
            name: "next, and noMatch names the entry that failed", entries: broken("b1", "next"),
            policy: #"{ "noMatch": "b1" }"#, outcome: "raw", attempts: ["b1"]),
        Case(name: "raw", entries: "\(broken("b1", "raw")), \(json)", outcome: "raw", attempts: ["b1"]),
        Case(name: "the entry's limit: exactly", entries: limited("l", "error", 3), outcome: "entry l"),
        Case(
            name: "the entry's limit: one more", entries: limited("l", "error", 2), outcome: "bodyTooLarge",
            attempts: ["l"]),
        Case(
            name: "the entry's limit, next", entries: "\(limited("l", "next", 2)), \(json)", outcome: "entry json",
            attempts: ["l"]),
        Case(name: "the entry's limit, raw", entries: limited("l", "raw", 2), outcome: "raw", attempts: ["l"]),
        Case(
            name: "nothing passes the policy's limit", entries: limited("l", "error", 100),
            policy: #"{ "limits": { "maxBodyBytes": 2 } }"#, outcome: "bodyTooLarge", attempts: ["l"]),
        Case(
            name: "cancellation stays cancellation",
            entries: #"{ "id": "c", "factory": "cancelled", "onFailure": "next" }, \#(json)"#, outcome: "cancelled"),
    ]

    static let unmatched = [
        Case(name: "no entry", entries: text(types: "c/d"), outcome: "raw"),
        Case(
            name: "no entry, error", entries: text(types: "c/d"), policy: #"{ "noMatch": "error" }"#, outcome: "noMatch"
        ),
        Case(
            name: "no entry, an id", entries: text(types: "c/d"), policy: #"{ "noMatch": "text" }"#,
            outcome: "entry text"),
        Case(
            name: "an id keeps its status",
            entries: #"{ "id": "text", "factory": "text", "match": { "types": ["c/d"], "status": ["4XX"] } }"#,
            policy: #"{ "noMatch": "text" }"#, outcome: "raw"),
        Case(name: "no type", entries: text(types: "*/*"), contentType: nil, outcome: "raw"),
        Case(name: "an invalid type", entries: text(types: "*/*"), contentType: "*/*", outcome: "raw"),
        Case(name: "no type, and an entry without types", entries: json, contentType: nil, outcome: "entry json"),
        Case(
            name: "no type, error", entries: text(types: "*/*"), policy: #"{ "missingContentType": "error" }"#,
            contentType: nil, outcome: "missingContentType"),
        Case(
            name: "an invalid type, error", entries: text(types: "*/*"), policy: #"{ "invalidContentType": "error" }"#,
            contentType: "x", outcome: "invalidContentType"),
        Case(
            name: "the two policies are two", entries: text(types: "*/*"),
            policy: #"{ "invalidContentType": "error" }"#,
            contentType: nil, outcome: "raw"),
        Case(
            name: "no type, an id", entries: text(types: "c/d"), policy: #"{ "missingContentType": "text" }"#,
            contentType: nil, outcome: "entry text"),
        Case(
            name: "no type, an id that declines, then noMatch",
            entries: #"{ "id": "picky", "factory": "picky", "match": { "types": ["c/d"] } }"#,
            policy: #"{ "missingContentType": "picky", "noMatch": "error" }"#, contentType: nil, outcome: "noMatch"),
        Case(
            name: "no type, an id that fails with next, then noMatch",
            entries: "\(broken("b1", "next", types: "c/d")), \(text(types: "c/d"))",
            policy: #"{ "missingContentType": "b1", "noMatch": "text" }"#, contentType: nil, outcome: "entry text",
            attempts: ["b1"]),
    ]

    static let exhausted = [
        Case(
            name: "no type, and the entry that covers it fails: noMatch counts, not the policy for no type",
            entries: #"{ "id": "b1", "factory": "broken", "onFailure": "next" }"#,
            policy: #"{ "missingContentType": "error", "invalidContentType": "error" }"#, contentType: nil,
            outcome: "raw", attempts: ["b1"])
    ]

    static let empty = [
        Case(name: "no bytes", entries: broken, body: "", outcome: "empty"),
        Case(name: "no bytes, no entry", entries: text(types: "c/d"), body: "", outcome: "empty"),
        Case(
            name: "no bytes, no entry, noMatch error", entries: text(types: "c/d"), policy: #"{ "noMatch": "error" }"#,
            body: "", outcome: "empty"),
        Case(
            name: "no bytes, no type, error", entries: "", policy: #"{ "missingContentType": "error" }"#,
            contentType: nil,
            body: "", outcome: "empty"),
        Case(
            name: "an entry that takes no bytes", entries: #"{ "id": "count", "factory": "count" }"#, body: "",
            outcome: "entry count"),
        Case(
            name: "an entry that takes no bytes fails, and the next takes only bytes",
            entries: #"{ "id": "b", "factory": "brittle", "onFailure": "next" }, \#(json)"#, body: "", outcome: "empty",
            attempts: ["b"]),
        Case(
            name: "an entry that takes no bytes fails, and none is left",
            entries: #"{ "id": "b", "factory": "brittle", "onFailure": "next" }"#, body: "", outcome: "raw",
            attempts: ["b"]),
        Case(
            name: "an entry that takes no bytes fails, none is left, and that is an error",
            entries: #"{ "id": "b", "factory": "brittle", "onFailure": "next" }"#, policy: #"{ "noMatch": "error" }"#,
            body: "", outcome: "noMatch", attempts: ["b"]),
        Case(
            name: "otherwise error", entries: json, policy: #"{ "empty": { "otherwise": "error" } }"#, body: "",
            outcome: "emptyBody"),
        Case(
            name: "otherwise error, a status that is listed", entries: json,
            policy: #"{ "empty": { "otherwise": "error" } }"#, status: 204, body: "", outcome: "empty"),
        Case(
            name: "otherwise error, a method that is listed", entries: json,
            policy: #"{ "empty": { "otherwise": "error" } }"#, method: "HEAD", body: "", outcome: "empty"),
        Case(
            name: "otherwise error, lists of one's own", entries: json,
            policy: #"{ "empty": { "otherwise": "error", "methods": [], "status": ["202"] } }"#, status: 204,
            method: "HEAD", body: "", outcome: "emptyBody"),
        Case(name: "bytes are serialized whatever the status", entries: json, status: 204, outcome: "entry json"),
        Case(
            name: "bytes are serialized whatever the method", entries: json, method: "HEAD", outcome: "entry json"),
    ]

    @Test("1.1.24, 1.1.25, 1.2.3, 1.2.7: a dynamic call", arguments: failing + unmatched + exhausted + empty)
    func outcome(_ test: Case) throws {
        let registry = try SerializerRegistry.entries(test.entries, #""policy": \#(test.policy)"#)
        let decision = registry.explain(contentType: test.contentType, status: test.status, method: test.method)
        let body = ResponseBody(text: test.body)
        do throws(LookupFailure) {
            let result = try decision.serialize(body)
            #expect([result.outcome.rawValue, result.entry].compactMap(\.self).joined(separator: " ") == test.outcome)
            #expect(result.attempts.map(\.entry) == test.attempts)
            switch result.outcome {
            case .raw: #expect(result.value as? ResponseBody == body)
            case .empty: #expect(result.value is Void)
            case .entry, .error: break
            }
        } catch {
            #expect(error.code.rawValue == test.outcome)
            #expect(error.attempts.map(\.entry) == test.attempts)
            #expect(error.body == body || error.code == .cancelled)
            #expect(error.cause is CancellationError == (error.code == .cancelled))
        }
    }

    @Test("what failed and what was chosen then")
    func triedAfter() throws {
        let registry = try SerializerRegistry.entries(
            "\(Self.text(types: "c/d")), \(Self.broken("b1", "next")), \(Self.json), \(Self.text("after"))")
        let decision = registry.explain(contentType: "a/b")
        let result = try decision.serialize(ResponseBody(text: "[1]"))
        #expect(
            decision.tried(after: result.attempts).map(\.description) == [
                "text: declined: a/b is outside c/d", "b1: failed: Broken",
                "json: chosen: covers a/b with status 200",
            ])
        let failure = try #require(throws: LookupFailure.self) { try decision.serialize(ResponseBody(text: "[")) }
        #expect(failure.tried.map(\.verdict) == [.declined, .failed, .failed])
        #expect(failure.entry == "json")
    }

    @Test("the status is judged by the policy, or by the request")
    func acceptable() throws {
        let registry = try SerializerRegistry.entries(
            Self.json,
            #""policy": { "acceptableStatus": ["2XX", "304"] }, "hosts": { "a.b": { "policy": { "acceptableStatus": "any" } } }"#
        )
        func isAcceptable(_ status: Int, host: String? = nil, _ override: StatusSet? = nil) -> Bool {
            registry.explain(
                contentType: nil, status: status, host: host, override: LookupOverride(acceptableStatus: override)
            ).isAcceptable
        }
        #expect([200, 299, 300, 304, 404, 600].map { isAcceptable($0) } == [true, true, false, true, false, false])
        #expect(isAcceptable(404, host: "a.b") && isAcceptable(999, host: "a.b"))
        let notFound = try StatusSet(notations: ["404"])
        #expect(isAcceptable(404, .any) && !isAcceptable(200, notFound))
    }

    struct Limit: Sendable, CustomTestStringConvertible {
        let name: String
        let entries: String
        var policy = ""
        let limit: Int
        let owner: BodyLimit.Owner
        var testDescription: String { name }
    }

    static let limits = [
        Limit(name: "the entry's", entries: limited("l", "error", 9), limit: 9, owner: .entry("l")),
        Limit(
            name: "the policy's, where it is smaller", entries: limited("l", "error", 99),
            policy: #""limits": { "maxBodyBytes": 7 }"#, limit: 7, owner: .policy),
        Limit(
            name: "the policy's, where it is the same", entries: limited("l", "error", 7),
            policy: #""limits": { "maxBodyBytes": 7 }"#, limit: 7, owner: .policy),
        Limit(name: "the policy's, where the entry has none", entries: json, limit: 64 << 20, owner: .policy),
        Limit(name: "the policy's, for bytes", entries: "", limit: 64 << 20, owner: .policy),
        Limit(
            name: "the policy's, where a failed entry leaves bytes", entries: limited("l", "raw", 9), limit: 64 << 20,
            owner: .policy),
        Limit(
            name: "the largest of a chain",
            entries: "\(limited("l", "next", 9)), \(limited("m", "next", 12)), \(limited("n", "error", 3))", limit: 12,
            owner: .entry("m")),
        Limit(
            name: "the policy's, where a chain leaves bytes", entries: limited("l", "next", 9), limit: 64 << 20,
            owner: .policy),
        Limit(
            name: "the policy's, where bytes are left in the midst of a chain",
            entries: "\(limited("l", "next", 9)), \(limited("m", "raw", 3))", policy: #""noMatch": "error""#,
            limit: 64 << 20, owner: .policy),
        Limit(
            name: "the chain's, where it leaves none", entries: limited("l", "next", 9), policy: #""noMatch": "error""#,
            limit: 9, owner: .entry("l")),
    ]

    @Test("how many bytes are worth receiving", arguments: limits)
    func bodyLimit(_ test: Limit) throws {
        let registry = try SerializerRegistry.entries(test.entries, #""policy": { \#(test.policy) }"#)
        let decision = registry.explain(contentType: "a/b")
        #expect(decision.bodyLimit == test.limit)
        #expect(decision.limit.owner == test.owner)
        for own in [0, test.limit - 1, test.limit, test.limit + 1, .max] {
            let asked = registry.explain(contentType: "a/b", override: LookupOverride(maximumBodyBytes: own))
            #expect(asked.limit == BodyLimit(ofRequest: own))
            #expect(asked.limit.bytes == own && asked.limit.owner == .request && asked.bodyLimit == own)
            #expect((asked.tooLarge(received: own).cause as? BodyLimitFailure)?.limit == own)
        }
        let failure = decision.tooLarge(received: test.limit + 1)
        #expect(failure.code == .bodyTooLarge)
        #expect((failure.cause as? BodyLimitFailure)?.limit == test.limit)
        #expect(failure.attempts.map(\.entry) == decision.tried(after: failure.attempts).map(\.entry))
    }

    @Test("a limit is told with its owner")
    func limitSentence() throws {
        let registry = try SerializerRegistry.entries(Self.limited("l", "error", 9))
        func limit(_ own: Int? = nil) -> BodyLimit {
            registry.explain(contentType: "a/b", override: LookupOverride(maximumBodyBytes: own)).limit
        }
        #expect("\(limit())" == "9 bytes, the limit of entry l (maxBodyBytes)")
        #expect("\(limit(0))" == "0 bytes, the limit of the request (maximumBodyBytes)")
        let other = try SerializerRegistry.entries(Self.json).explain(contentType: "a/b")
        #expect("\(other.limit)" == "67108864 bytes, the limit of the policy (maxBodyBytes)")
        #expect(BodyLimit(ofRequest: nil).bytes == .max)
    }
}
