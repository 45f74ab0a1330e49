import PatchbayRegistry
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sentences about a body that no entry writes, or that one could not write.
@Suite("Sentences about writing")
struct WriterSentenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let entries: String
        var type: MediaType = "application/json"
        var subject = WriterLookup.Subject.value(1)
        var host: String?
        var excluding: Set<String> = []
        let sentence: String
        var testDescription: String { name }
    }

    private static func entry(_ id: String, _ factory: String, _ types: String?, _ more: String = "") -> String {
        let match = types.map { #", "match": { "types": ["\#($0)"] }"# } ?? ""
        return #"{ "id": "\#(id)", "factory": "\#(factory)"\#(match)\#(more.isEmpty ? "" : ", " + more) }"#
    }

    static let cases = [
        Case(
            name: "an empty table", entries: "",
            sentence: "no entry writes Int as application/json; there are no entries"),
        Case(
            name: "one entry of another type", entries: entry("a", "write", "a/b"),
            sentence: "no entry writes Int as application/json; the only entry, a, does not cover this type"),
        Case(
            name: "several entries of other types",
            entries: [entry("a", "write", "a/b"), entry("b", "both", "a/c"), entry("c", "read", "text/*")]
                .joined(separator: ","), type: "application/cbor", subject: .value(["a": 1]),
            sentence:
                "no entry writes Dictionary<String, Int> as application/cbor; none of the 3 entries covers this type"
        ),
        Case(
            name: "an entry that is switched off does not count",
            entries: entry("a", "write", "a/b") + "," + entry("b", "write", nil, #""enabled": false"#),
            sentence: "no entry writes Int as application/json; the only entry, a, does not cover this type"),
        Case(
            name: "every reason",
            entries: [
                entry("off", "both", nil, #""writes": false"#), entry("reader", "read", nil),
                entry("choosy", "choosy", "application/*"), entry("out", "write", nil),
                entry("gone", "missing", "*/*", #""optional": true"#), entry("other", "choosy", "a/b"),
            ].joined(separator: ","), excluding: ["out"],
            sentence:
                "no entry writes Int as application/json; asked: off (the manifest says \"writes\": false), "
                + "reader (it only reads responses), choosy (it takes no numbers), out (the request excludes it), "
                + "gone (factory missing is not in this build), and 1 that does not cover application/json"),
        Case(
            name: "elements", entries: entry("whole", "write", "text/csv"), type: "text/csv",
            subject: .elements(String.self),
            sentence:
                "no entry writes elements of the type String as text/csv; asked: whole (it writes whole values, not elements one by one)"
        ),
        Case(
            name: "a host", entries: "", host: "a.example",
            sentence:
                "no entry writes Int as application/json for the host a.example; asked: own (it only reads responses)"
        ),
        Case(
            name: "the hosts of a wildcard", entries: "", host: "x.w.example:8080",
            sentence: "no entry writes Int as application/json for the hosts *.w.example; there are no entries"),
        Case(
            name: "forty entries",
            entries: (0..<40).map { entry("e\($0)", "words", nil, hides) }.joined(separator: ","),
            sentence: "no entry writes Int as application/json; asked: "
                + (0..<8).map { "e\($0) (it writes lists of words)" }.joined(separator: ", ") + " and 32 more"),
        Case(
            name: "a long media type", entries: entry("a", "read", nil),
            type: MediaType(parsing: "a/" + String(repeating: "b", count: 200)) ?? "a/b",
            sentence:
                "no entry writes Int as a/\(String(repeating: "b", count: 98))…; asked: a (it only reads responses)"),
    ]

    /// So that forty entries of one kind are no fault.
    private static let hides = #""hides": [\#((0..<40).map { "\"e\($0)\"" }.joined(separator: ", "))]"#

    @Test("why no entry writes a value is one sentence, whatever the number of entries", arguments: cases)
    func refusal(_ test: Case) throws {
        let hosts =
            #""hosts": { "a.example": { "inherit": false, "plugins": [\#(Self.entry("own", "read", nil))] }, "*.w.example": { "inherit": false } }"#
        let registry = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "plugins": [\#(test.entries)], \#(hosts) }"#)
        let lookup = registry.writer(
            of: test.subject, as: test.type, for: test.host.flatMap { CanonicalHost($0) }, excluding: test.excluding)
        #expect(lookup.writer == nil)
        #expect(lookup.refusal == test.sentence)
    }

    @Test("an entry of a wider section is named, if it covers the type and the section that applies lacks it")
    func bypassed() throws {
        let own = #""plugins": [\#(Self.entry("own", "both", "a/own"))]"#
        let wild = #""plugins": [\#(Self.entry("wild", "both", "a/wild"))]"#
        let registry = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "hosts": { "*.example": { \#(wild) }, "a.example": { \#(own) }, "a.example:8080": {} } }"#
        )
        let host = "a.example:8080"
        for (type, id, place) in [("own", "own", "a.example"), ("wild", "wild", "*.example"), ("other", nil, nil)] {
            let type = try #require(MediaType(parsing: "a/" + type))
            let end = id.map { "; not asked: \($0) of \(place ?? ""), whose section does not apply here" } ?? ""
            let writing = registry.writer(of: .value(1), as: type, for: CanonicalHost(host)).refusal
            #expect(writing == "no entry writes Int as \(type) for the host \(host); there are no entries" + end)
            let reading = registry.explain(contentType: "\(type)", host: host, producing: .type(Broken.self))
            let failure = try #require(reading.failureAtHead).description
            #expect(end.isEmpty ? !failure.contains("not asked") : failure.hasSuffix(end), "\(failure)")
        }
    }

    /// Declines with more words than a sentence has room for.
    private struct Talkative: RequestSerializer {
        func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
            String(repeating: "no ", count: 100) + "\nand no"
        }

        func write(_ value: some Encodable, as type: MediaType) throws -> Data { throw Broken() }
    }

    @Test("a long reason is cut, and so is one of several lines")
    func longReason() throws {
        let registry = try SerializerRegistry.sided(#"{ "manifestVersion": 1 }"#).adding("talker", Talkative())
        let reason = registry.explain(writing: 1).candidates.first?.reason
        #expect(reason == String(repeating: "no ", count: 66) + "no…")
    }

    @Test("every entry asked has its reason, one a line")
    func candidates() throws {
        let entries = [
            Self.entry("csv", "words", "text/csv"), Self.entry("choosy", "choosy", nil),
            Self.entry("reader", "read", nil),
            Self.entry("writer", "write", nil), Self.entry("behind", "clerk", nil),
        ].joined(separator: ",")
        let registry = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "aliases": { "text/x-table": "text/csv" }, "plugins": [\#(entries)] }"#)
        #expect(
            registry.explain(writing: 1).description == """
                csv: declined: application/json is outside text/csv
                choosy: declined: it takes no numbers
                reader: declined: it only reads responses
                writer: chosen: writes application/json
                """)
        // The alias is for matching alone.
        #expect(
            registry.explain(writing: ["a"], in: "text/x-table").description == "csv: chosen: writes text/x-table")
        let none = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "plugins": [\#(Self.entry("reader", "read", nil))] }"#)
        #expect(
            none.explain(writing: 1).description == """
                reader: declined: it only reads responses
                error: noWriter
                """)
        let text = none.explain(writing: "text")
        #expect(text.outcome == .raw && text.entry == nil && text.candidates.isEmpty)
        #expect(text.mediaType == "text/plain;charset=utf-8")
        #expect(none.explain(writing: [UInt8](), in: "a/b").mediaType == "a/b")
        #expect(none.explain(writing: [UInt8]()).mediaType == .octetStream)
        #expect(text.description == "raw: bytes and text are sent as they are, no entry is asked")
    }

    @Test(
        "an entry that throws is named with its media type and its reason, which quotes no value",
        arguments: [
            (Broken(description: "the secret") as any Error, "its serializer threw Broken"),
            (
                EncodingError.invalidValue(
                    Double.nan, .init(codingPath: [Key(stringValue: "level")], debugDescription: "nan")),
                "a value of the type Double cannot be written at /level"
            ),
        ])
    func failure(_ error: any Error, _ reason: String) throws {
        let registry = try SerializerRegistry.sided(
            #"{ "manifestVersion": 1, "plugins": [\#(Self.entry("writer", "write", nil))] }"#)
        let lookup = registry.writer(of: .value(1), as: "application/json", for: nil)
        #expect(lookup.failure(error).description == "the entry writer could not write application/json: \(reason)")
        let decision = Decision(lookup, failure: error)
        #expect(decision.outcome == .error && decision.entry == "writer")
        #expect(decision.candidates.map(\.verdict) == [.failed])
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
