import PatchbayJSON
import PatchbayRegistry
import Testing

/// Which manifest, and which line of it, said each key last.
@Suite("The place of each key")
struct ProvenanceTests {
    private static let base = """
        { "manifestVersion": 1,
          "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 100 } },
          "plugins": [
            { "id": "json", "factory": "json", "match": { "types": ["@json"] },
              "options": { "keys": "asIs",
                           "depth": 3 }, "onFailure": "next" },
            { "id": "text", "factory": "text",
              "match": { "types": ["text/*"], "status": ["2XX"] }, "x-note": "all text" },
            { "id": "count", "factory": "count" }
          ],
          "hosts": {
            "*.example.com": { "policy": { "requestContentType": "application/json", "accept": "all" } }
          } }
        """

    private static let overlay = """
        { "manifestVersion": 1,
          "plugins": [
            { "id": "text", "enabled": false },
            { "id": "json",
              "options": { "depth": 4 }, "onFailure": null }
          ],
          "order": ["text",
                    "json"],
          "hosts": {
            "api.example.com": {
              "extends": "*.example.com",
              "policy": { "limits": { "maxBodyBytes": 7 } } }
          } }
        """

    private static let last = """
        { "manifestVersion": 1, "plugins": [
            { "id": "count", "place": "first", "match": { "status": ["4XX"] } } ] }
        """

    private func registry() throws -> SerializerRegistry {
        try SerializerRegistry.fixture(Self.base, overlays: [Self.overlay, Self.last])
    }

    private func lines(_ keys: [SaidKey]) -> [String] { keys.map { "\($0.key) = \($0.value) \($0.place)" } }

    static let entries: [(id: String, lines: [String])] = [
        (
            "json",
            [
                #"factory = "json" Plugins.json:4"#, #"match.types = ["@json"] Plugins.json:4"#,
                #"options.keys = "asIs" Plugins.json:5"#, "options.depth = 4 overlay1.json:5",
                "onFailure = null overlay1.json:5",
                #"order = ["text","json"] overlay1.json:8"#,
            ]
        ),
        (
            "text",
            [
                #"factory = "text" Plugins.json:7"#, #"match.types = ["text/*"] Plugins.json:8"#,
                #"match.status = ["2XX"] Plugins.json:8"#, "enabled = false overlay1.json:3",
                #"order = ["text","json"] overlay1.json:7"#,
            ]
        ),
        (
            "count",
            [
                #"factory = "count" Plugins.json:9"#, #"match.status = ["4XX"] overlay2.json:2"#,
                #"place = "first" overlay2.json:2"#,
            ]
        ),
        ("nothing", []),
    ]

    @Test("of an entry: what is removed is null, what is switched off is, and its place is that of the last move")
    func entries() throws {
        let registry = try registry()
        for (id, expected) in Self.entries { #expect(lines(registry.provenance(ofEntry: id)) == expected, "\(id)") }
        let all = registry.provenance(ofEntries: Self.entries.map(\.id))
        #expect(all.map(lines) == Self.entries.map(\.lines))
        #expect(registry.routes(host: nil).first { $0.id == "text" }?.availability == .switchedOff)
    }

    static let policies: [(host: String?, lines: [String])] = [
        (nil, [#"policy.noMatch = "error" Plugins.json:2"#, "policy.limits.maxBodyBytes = 100 Plugins.json:2"]),
        (
            "a.example.com",
            [
                #"policy.noMatch = "error" Plugins.json:2"#, "policy.limits.maxBodyBytes = 100 Plugins.json:2",
                #"policy.requestContentType = "application/json" Plugins.json:12"#,
                #"policy.accept = "all" Plugins.json:12"#,
            ]
        ),
        (
            "api.example.com",
            [
                #"policy.noMatch = "error" Plugins.json:2"#,
                #"policy.requestContentType = "application/json" Plugins.json:12"#,
                "policy.limits.maxBodyBytes = 7 overlay1.json:12",
            ]
        ),
    ]

    @Test("of a policy: the section's before the general ones, and one key of the section that it extends")
    func policies() throws {
        let registry = try registry()
        for (host, expected) in Self.policies {
            let host = host.flatMap { CanonicalHost($0) }
            #expect(lines(registry.provenance(ofPolicyFor: host)) == expected, "\(host?.description ?? "any host")")
            #expect(
                try registry.replacing("json", with: CountFixture(), host: "api.example.com").provenance(
                    ofPolicyFor: host) == registry.provenance(ofPolicyFor: host))
        }
    }

    @Test("of a key that a null removed: the null, until a later manifest says the key again")
    func removed() throws {
        let base = """
            { "manifestVersion": 1, "policy": { "noMatch": "error", "limits": { "maxBodyBytes": 100 } },
              "plugins": [
                { "id": "json", "factory": "json", "match": { "types": ["@json"], "wanted": "elements" },
                  "options": { "keys": "asIs" } } ],
              "hosts": { "h.example": { "policy": { "noMatch": "raw" } } } }
            """
        let nulls = """
            { "manifestVersion": 1,
              "policy": { "limits": null },
              "plugins": [
                { "id": "json", "match": { "wanted": null },
                  "options": { "keys": null } } ],
              "hosts": { "h.example": { "policy": { "noMatch": null } } } }
            """
        let again = """
            { "manifestVersion": 1,
              "policy": null, "plugins": [{ "id": "json", "options": { "keys": "asIs" } }] }
            """
        let two = try SerializerRegistry.fixture(base, overlays: [nulls])
        #expect(
            lines(two.provenance(ofEntry: "json")) == [
                #"factory = "json" Plugins.json:3"#, #"match.types = ["@json"] Plugins.json:3"#,
                "match.wanted = null overlay1.json:4", "options.keys = null overlay1.json:5",
            ])
        let general = [#"policy.noMatch = "error" Plugins.json:1"#, "policy.limits = null overlay1.json:2"]
        #expect(lines(two.provenance(ofPolicyFor: nil)) == general)
        #expect(
            lines(two.provenance(ofPolicyFor: CanonicalHost("h.example")))
                == general + ["policy.noMatch = null overlay1.json:6"])
        let three = try SerializerRegistry.fixture(base, overlays: [nulls, again])
        #expect(lines(three.provenance(ofEntry: "json")).contains(#"options.keys = "asIs" overlay2.json:2"#))
        #expect(!three.provenance(ofEntry: "json").contains { $0.key == "options.keys" && $0.isRemoved })
        #expect(lines(three.provenance(ofPolicyFor: nil)) == ["policy = null overlay2.json:2"])
    }

    @Test("of an entry that a section leaves out: the id in the list")
    func leftOut() throws {
        let text = """
            { "manifestVersion": 1,
              "plugins": [
                { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
                { "id": "text", "factory": "text", "match": { "types": ["text/*"] } } ],
              "hosts": {
                "h.example": { "without": [
                  "text"] },
                "h.example/a": { "without": ["json"] } } }
            """
        let registry = try SerializerRegistry.fixture(text)
        func leftOut(_ place: String) throws -> [String] {
            let place = try #require(Endpoint(place))
            return lines(registry.provenance(ofLeftOutFor: place.host, at: place.url))
        }
        #expect(try leftOut("h.example") == [#"without = "text" Plugins.json:7"#])
        #expect(
            try leftOut("h.example/a") == [#"without = "text" Plugins.json:7"#, #"without = "json" Plugins.json:8"#])
        #expect(try leftOut("i.example") == [])
    }

    @Test("of an entry from code: the call, without a line")
    func code() throws {
        let added = try registry().adding("own", CountFixture(), types: ["a/b"])
        let keys = added.provenance(ofEntry: "own")
        #expect(keys.map(\.key) == ["factory", "optional", "match.types", "onFailure"])
        #expect(keys.allSatisfy { $0.place == "adding(own)" && $0.line == nil })
        let changed = try added.overlaid(
            by: .text(
                "{ \"manifestVersion\": 1,\n\"plugins\": [{ \"id\": \"own\", \"onFailure\": \"raw\" }] }", name: "m"))
        #expect(
            changed.provenance(ofEntry: "own").map(\.place) == ["adding(own)", "adding(own)", "adding(own)", "m:2"])
    }

    @Test("two manifests of one name keep their own lines")
    func sameName() throws {
        func text(_ lines: String, _ status: String) -> ManifestSource {
            .text(
                #"{ "manifestVersion": 1, \#(lines)"plugins": [{ "id": "json", "match": { "\#(status)": ["\#(status == "status" ? "4XX" : "a/b")"] } }] }"#
            )
        }
        let registry = try SerializerRegistry.fixture(Self.base).overlaid(by: text("\n", "status")).overlaid(
            by: text("\n\n", "types"))
        let places = registry.provenance(ofEntry: "json").filter { $0.key.hasPrefix("match") }.map(\.place)
        #expect(places == ["manifest:3", "manifest:2"])
    }

    @Test("a thousand entries in one pass over the text")
    func thousand() throws {
        let entries = (0..<1000).map { #"{ "id": "e\#($0)", "factory": "text", "match": { "types": ["a/b\#($0)"] } }"# }
        let text = "{ \"manifestVersion\": 1, \"plugins\": [\n\(entries.joined(separator: ",\r\n"))] }"
        let keys = try SerializerRegistry.fixture(text).provenance(ofEntries: (0..<1000).map { "e\($0)" })
        #expect(keys.enumerated().allSatisfy { number, keys in keys.map(\.line) == [number + 2, number + 2] })
    }
}
