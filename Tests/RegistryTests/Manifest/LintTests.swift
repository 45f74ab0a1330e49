import PatchbayRegistry
import Testing

@Suite("Lint")
struct LintTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let first: String
        let second: String
        let isHidden: Bool
        var testDescription: String { name }
    }

    private static func entry(_ id: String, _ factory: String, _ match: String, _ onFailure: String = "error") -> String
    {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { \#(match) }, "onFailure": "\#(onFailure)" }"#
    }

    static let cases = [
        Case(
            name: "the same", first: entry("a", "text", #""types": ["a/b"]"#),
            second: entry("b", "text", #""types": ["a/b"]"#), isHidden: true),
        Case(
            name: "wider", first: entry("a", "text", #""types": ["text/*"]"#),
            second: entry("b", "text", #""types": ["text/csv", "text/html"]"#), isHidden: true),
        Case(
            name: "by several patterns", first: entry("a", "text", #""types": ["text/*", "a/b"]"#),
            second: entry("b", "text", #""types": ["a/b", "text/html"]"#), isHidden: true),
        Case(
            name: "by no types at all", first: entry("a", "text", ""), second: entry("b", "text", #""types": ["*/*"]"#),
            isHidden: true),
        Case(
            name: "a group by its suffix and types",
            first: entry("a", "text", #""types": ["+json", "application/*", "text/*"]"#),
            second: entry("b", "text", #""types": ["@json"]"#), isHidden: true),
        Case(
            name: "without a parameter covers with", first: entry("a", "text", #""types": ["a/b"]"#),
            second: entry("b", "text", #""types": ["a/b;c=d"]"#), isHidden: true),
        Case(
            name: "statuses by their class", first: entry("a", "text", #""status": ["4XX", "5XX"]"#),
            second: entry("b", "text", #""types": ["a/b"], "status": ["404", "500-503"]"#), isHidden: true),
        Case(
            name: "one pattern is left over", first: entry("a", "text", #""types": ["text/*"]"#),
            second: entry("b", "text", #""types": ["text/csv", "a/b"]"#), isHidden: false),
        Case(
            name: "narrower first", first: entry("a", "text", #""types": ["text/csv"]"#),
            second: entry("b", "text", #""types": ["text/*"]"#), isHidden: false),
        Case(
            name: "with a parameter does not cover without", first: entry("a", "text", #""types": ["a/b;c=d"]"#),
            second: entry("b", "text", #""types": ["a/b"]"#), isHidden: false),
        Case(
            name: "types never cover a missing type", first: entry("a", "text", #""types": ["*/*"]"#),
            second: entry("b", "text", ""), isHidden: false),
        Case(
            name: "another status", first: entry("a", "text", #""types": ["a/b"], "status": ["2XX"]"#),
            second: entry("b", "text", #""types": ["a/b"], "status": ["2XX", "404"]"#), isHidden: false),
        Case(
            name: "onFailure next", first: entry("a", "text", #""types": ["a/b"]"#, "next"),
            second: entry("b", "text", #""types": ["a/b"]"#), isHidden: false),
        Case(
            name: "another output", first: entry("a", "text", #""types": ["a/b"]"#),
            second: entry("b", "count", #""types": ["a/b"]"#), isHidden: false),
    ]

    @Test("an entry that an earlier one of its file hides is an error", arguments: cases)
    func hidden(_ test: Case) throws {
        let lists = [
            "\(test.first), \(test.second)",
            "\(test.first), { \"id\": \"z\", \"factory\": \"count\", \"match\": { \"types\": [\"z/z\"] } }, \(test.second)",
        ]
        for (position, entries) in zip([1, 2], lists) {
            for isHost in [false, true] {
                let plugins = #""plugins": [\#(entries)]"#
                let manifest =
                    #"{ "manifestVersion": 1, \#(isHost ? "\"hosts\": { \"a.b\": { \(plugins) } }" : plugins) }"#
                let result = Result { try SerializerRegistry.fixture(manifest) }
                if test.isHidden {
                    let failure = try #require(throws: ManifestFailure.self) { try result.get() }
                    #expect(failure.issues.map(\.kind) == [.hiddenEntry])
                    #expect(failure.issues.first?.pointer == (isHost ? "/hosts/a.b" : "") + "/plugins/\(position)")
                } else {
                    #expect(
                        try result.get().notes.allSatisfy {
                            [.unusedFactory, .unwritableContentType].contains($0.kind)
                        })
                }
            }
        }
    }

    @Test("across layers it is a note, and so it is where an overlay widened one of the two")
    func acrossLayers() throws {
        let base =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "csv", "factory": "text", "match": { "types": ["text/csv"] } }] }"#
        let new =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "all", "factory": "text", "match": { "types": ["text/*"] } }] }"#
        let notes = try SerializerRegistry.fixture(base, overlays: [new]).notes.filter { $0.kind == .hiddenEntry }
        #expect(
            notes.map(\.text) == [
                #"Plugins.json: /plugins/0: the entry "csv" is hidden by "all" at /plugins/0 of overlay1.json"#
            ])
        let two =
            #"{ "manifestVersion": 1, "plugins": [\#(Self.entry("a", "text", #""types": ["a/b"]"#)), \#(Self.entry("b", "text", #""types": ["c/d"]"#))] }"#
        let wider = #"{ "manifestVersion": 1, "plugins": [{ "id": "a", "match": { "types": ["*/*"] } }] }"#
        #expect(try SerializerRegistry.fixture(two, overlays: [wider]).notes.contains { $0.kind == .hiddenEntry })
    }

    @Test(
        "a host section hides global entries on purpose: a note, unless it drops them or the entry names them in hides")
    func hostSection() throws {
        func notes(_ more: String, of entry: String = "") throws -> [String] {
            try SerializerRegistry.entries(
                Self.entry("csv", "text", #""types": ["text/csv"]"#),
                #""hosts": { "a.b": { \#(more) "plugins": [{ "id": "all", "factory": "text", "match": {}, "onFailure": "error"\#(entry) }] } }"#
            ).notes.filter { $0.kind == .hiddenEntry }.map(\.text)
        }
        #expect(
            try notes("") == [
                #"Plugins.json: /plugins/0: the entry "csv" is hidden for the host "a.b" by "all" at /hosts/a.b/plugins/0 of Plugins.json"#
            ])
        #expect(try notes(#""inherit": false,"#) == [])
        #expect(try notes(#""use": [],"#) == [])
        #expect(try notes("", of: #", "hides": ["csv"]"#) == [])
        #expect(try notes("", of: #", "hides": ["all"]"#).count == 1)
    }

    @Test("factories without an entry, and optional entries without a factory, are notes")
    func otherNotes() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "image", "factory": "image", "optional": true, "match": { "types": ["image/*"] } }, { "id": "t", "factory": "text", "enabled": false, "match": { "types": ["a/b"] } }"#,
            #""hosts": { "a.b": { "use": ["image"] } }"#)
        #expect(
            registry.notes.map(\.text) == [
                #"Plugins.json: /plugins/0: the entry "image" always declines: factory image is not in this build"#
            ]
                + ["brittle", "broken", "cancelled", "context", "count", "json", "picky", "refusing"].map {
                    "factories: no entry uses the factory \"\($0)\""
                } + [
                    #"Plugins.json: /hosts/a.b: no entry writes "application/json" for the host "a.b": a value that is sent there without "in:" fails with noWriter; add an entry that writes it, or set another "requestContentType""#
                ])
        #expect(
            registry.routes(host: nil).map(\.availability) == [
                .unavailable("factory image is not in this build"), .switchedOff,
            ])
        #expect(registry.routes(host: CanonicalHost("a.b")).map(\.id) == ["image"])
    }

    @Test("a thousand entries")
    func thousand() throws {
        let entries = (0..<1000).map { Self.entry("e\($0)", "text", "\"types\": [\"a/b\($0)\"]") }
        #expect(try SerializerRegistry.entries(entries.joined(separator: ",")).routes(host: nil).count == 1000)
    }
}
