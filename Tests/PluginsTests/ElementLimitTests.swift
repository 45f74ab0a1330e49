import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Where an element outgrows a limit, the sentence says whose limit that is and by which name it is raised.
@Suite struct ElementLimitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let factory: String
        let type: String
        var options = "{}"
        var entry = "{}"
        var policy = "{}"
        /// The request's own cap.
        var cap: Int?
        let body: String
        let reason: String
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "a line of an event stream", factory: "server-sent-events", type: "text/event-stream",
            options: #"{"maxLineBytes": 9}"#, body: "data: 12345\n\n",
            reason: "an element is longer than 9 bytes, the limit of its option maxLineBytes"),
        Case(
            name: "the data of an event", factory: "server-sent-events", type: "text/event-stream",
            options: #"{"maxEventBytes": 9}"#, body: "data: 12345\ndata: 67890\n\n",
            reason: "an element is longer than 9 bytes, the limit of its option maxEventBytes"),
        Case(
            name: "a line", factory: "ndjson", type: "application/x-ndjson", options: #"{"maxLineBytes": 9}"#,
            body: "[1,2,3,4,5]\n",
            reason: "an element is longer than 9 bytes, the limit of its option maxLineBytes"),
        Case(
            name: "lines that are read together", factory: "ndjson", type: "application/x-ndjson",
            options: #"{"maxLineBytes": 9}"#,
            body: "1\n1\n[1,2,3,4,5]\n" + String(repeating: "1\n", count: 200),
            reason: "an element is longer than 9 bytes, the limit of its option maxLineBytes"),
        Case(
            name: "a text of a sequence", factory: "json-seq", type: "application/json-seq",
            options: #"{"maxTextBytes": 9}"#, body: "\u{1E}[1,2,3,4,5]\n",
            reason: "an element is longer than 9 bytes, the limit of its option maxTextBytes"),
        Case(
            name: "a row", factory: "csv-rows", type: "text/csv", entry: #"{"maxBodyBytes": 9}"#,
            body: "a,b,c,d,e,f\n", reason: "an element is longer than 9 bytes, the limit of entry it (maxBodyBytes)"),
        Case(
            name: "a row in another charset", factory: "csv-rows", type: "text/csv; charset=latin1",
            entry: #"{"maxBodyBytes": 9}"#, body: "a,b,c,d,e,f",
            reason: "an element is longer than 9 bytes, the limit of entry it (maxBodyBytes)"),
        Case(
            name: "a row longer than any may be", factory: "csv-rows", type: "text/csv",
            body: String(repeating: "x", count: (16 << 20) + 1),
            reason: "an element is longer than 16777216 bytes, the limit of any row"),
        Case(
            name: "a row longer than any may be, in another charset", factory: "csv-rows",
            type: "text/csv; charset=latin1", body: String(repeating: "x", count: (16 << 20) + 1),
            reason: "an element is longer than 16777216 bytes, the limit of any row"),
        Case(
            name: "a part", factory: "multipart-parts", type: "multipart/mixed; boundary=b",
            policy: #"{"limits": {"maxBodyBytes": 9}}"#, body: "--b\r\n\r\n1234567890\r\n--b--",
            reason: "an element is longer than 9 bytes, the limit of the policy (maxBodyBytes)"),
        Case(
            name: "an element of an array", factory: "json", type: "application/json", cap: 9,
            body: "[[1,2,3,4,5]]",
            reason: "an element is longer than 9 bytes, the limit of the request (maximumBodyBytes)"),
        Case(
            name: "the option where the request allows more", factory: "ndjson", type: "application/x-ndjson",
            options: #"{"maxLineBytes": 9}"#, cap: 10, body: "[1,2,3,4,5]\n",
            reason: "an element is longer than 9 bytes, the limit of its option maxLineBytes"),
        Case(
            name: "the request where the entry and the policy allow less", factory: "ndjson",
            type: "application/x-ndjson", entry: #"{"maxBodyBytes": 3}"#, policy: #"{"limits": {"maxBodyBytes": 2}}"#,
            cap: 9, body: "[1]\n[1,2,3,4,5]\n",
            reason: "an element is longer than 9 bytes, the limit of the request (maximumBodyBytes)"),
        Case(
            name: "the request where the option allows more", factory: "ndjson", type: "application/x-ndjson",
            options: #"{"maxLineBytes": 10}"#, cap: 9, body: "[1,2,3,4,5]\n",
            reason: "an element is longer than 9 bytes, the limit of the request (maximumBodyBytes)"),
    ]

    private func registry(_ row: Case) throws -> SerializerRegistry {
        let manifest = """
            { "manifestVersion": 1, "policy": \(row.policy), "plugins": [
              { "id": "it", "factory": "\(row.factory)", "match": { "types": ["*/*"] },
                "limits": \(row.entry), "options": \(row.options) }] }
            """
        return try SerializerRegistry(sources: [.text(manifest, name: "test.json")], factories: .standard)
    }

    @Test("the sentence of a stream names the entry and the option, or who else allows no more", arguments: cases)
    func stream(_ row: Case) throws {
        let decision = try registry(row).explain(
            contentType: row.type, producing: .anyElements, override: LookupOverride(maximumBodyBytes: row.cap))
        var reader = try ElementReader<any Sendable>(decision)
        var elements: [any Sendable] = []
        let failure = #expect(throws: LookupFailure.self) {
            try reader.read(Array(row.body.utf8), into: &elements)
            try reader.finish(into: &elements)
        }
        #expect(failure?.code == .bodyTooLarge)
        let sentence = try #require(failure?.description)
        #expect(sentence.hasPrefix("the entry it cannot take \(row.type.prefix { $0 != ";" }) with status 200: "))
        #expect(sentence.contains(": \(row.reason); asked: it (failed)"), "\(sentence)")
    }

    @Test("that of a whole body names the option too", arguments: cases.filter { $0.reason.contains("option") })
    func body(_ row: Case) async throws {
        let decision = try registry(row).explain(contentType: row.type, producing: .type([JSON].self))
        let failure = #expect(throws: LookupFailure.self) {
            _ = try decision.serialize(ResponseBody(Array(row.body.utf8)), as: [JSON].self)
        }
        #expect(failure.map { $0.description.contains(row.reason) } == true, "\(failure.map { "\($0)" } ?? "-")")
    }

    @Test("where no entry is asked, the registry's own limits are named")
    func tail() throws {
        let manifest = #"{ "manifestVersion": 1, "policy": { "limits": { "maxBodyBytes": 9 } }, "plugins": [] }"#
        let registry = try SerializerRegistry(
            sources: [.text(manifest, name: "test.json")], factories: .standard)
        for (cap, owner) in [(nil, "the policy (maxBodyBytes)"), (4, "the request (maximumBodyBytes)")]
            as [(Int?, String)]
        {
            let decision = registry.explain(
                contentType: "text/plain", producing: .elements(of: String.self),
                override: LookupOverride(maximumBodyBytes: cap))
            var reader = try ElementReader<String>(decision)
            var lines: [String] = []
            let failure = #expect(throws: LookupFailure.self) {
                try reader.read(Array("1234567890".utf8), into: &lines)
            }
            let reason = "an element is longer than \(cap ?? 9) bytes, the limit of \(owner)"
            #expect(failure.map { $0.description.contains(reason) } == true, "\(failure.map { "\($0)" } ?? "-")")
        }
    }

    @Test("a parser with a limit of its own is not said to have another's")
    func ownLimit() throws {
        #expect("\(ElementLimitFailure(limit: 5))" == "an element is longer than 5 bytes")
        #expect(ElementLimitFailure(limit: 5) == ElementLimitFailure(limit: 5))
    }
}
