import PatchbayJSON
import PatchbayRegistry
import PatchbayTools
import Testing

/// `"inherit": false` at the top level of a manifest: the manifest is the whole table.
@Suite("A manifest that inherits nothing")
struct WholeTableTests {
    /// Other policies, aliases, hosts and ids than the base has, one id of it, and not in its order.
    static let whole = #"""
        { "manifestVersion": 1, "inherit": false,
          "plugins": [
            { "id": "count", "factory": "count", "match": { "types": ["a/b"] } },
            { "id": "text", "factory": "text", "match": { "types": ["text/html"] } } ],
          "hosts": { "two.example": { "use": ["text"] } } }
        """#

    private static let over =
        #"{ "manifestVersion": 1, "plugins": [{ "id": "over", "factory": "count" }, { "id": "text", "enabled": false }] }"#

    /// Manifests in order, the whole table among them, and the manifests that give the same registry without the word.
    static let stacks: [(name: String, manifests: [String], same: [String])] = [
        ("alone", [whole], [without]),
        ("over another", [OverlayTests.base, whole], [without]),
        ("under another", [OverlayTests.base, whole, over], [without, over]),
        (
            "the last of two counts",
            [
                whole,
                OverlayTests.base.replacing(
                    "{ \"manifestVersion\": 1,", with: "{ \"manifestVersion\": 1, \"inherit\": false,"), over,
            ], [OverlayTests.base, over]
        ),
        (
            "true is the default",
            [
                OverlayTests.base,
                over.replacing("{ \"manifestVersion\": 1,", with: "{ \"manifestVersion\": 1, \"inherit\": true,"),
            ], [OverlayTests.base, over]
        ),
    ]

    private static let without = whole.replacing(#""inherit": false,"#, with: "")

    @Test("nothing lies under it, and what lies over it does: by several manifests, and one by one", arguments: stacks)
    func stack(_ name: String, _ manifests: [String], _ same: [String]) throws {
        let expected = try Self.registry(same)
        let registry = try Self.registry(manifests)
        #expect(registry.effectiveManifest == expected.effectiveManifest)
        #expect(registry.digest == expected.digest)
        #expect(registry.routes(host: nil).map(\.id) == expected.routes(host: nil).map(\.id))
        var oneByOne = try Self.registry([manifests[0]])
        for (index, manifest) in manifests.enumerated().dropFirst() {
            oneByOne = try oneByOne.overlaid(by: .text(manifest, name: "\(index)"))
        }
        #expect(oneByOne.effectiveManifest == expected.effectiveManifest)
        #expect(oneByOne.digest == expected.digest)
    }

    @Test("what lies under it is in no section, policy or alias either")
    func nothingUnder() throws {
        let registry = try Self.registry([OverlayTests.base, Self.whole])
        #expect(registry.routes(host: nil).map(\.id) == ["count", "text"])
        #expect(registry.routes(host: CanonicalHost("one.example")).map(\.id) == ["count", "text"])
        #expect(registry.routes(host: CanonicalHost("two.example")).map(\.id) == ["text"])
        #expect(registry.policy(for: nil) == (try Self.registry([Self.whole]).policy(for: nil)))
        #expect(registry.explain(contentType: "a/b").entryID == "count")
        #expect(throws: ManifestFailure.self) { try registry.adding("text", factory: "text") }
        #expect(
            try registry.adding("json", factory: "json").routes(host: nil).map(\.id) == ["json", "count", "text"])
    }

    @Test("what is printed is a whole table, wherever it is laid")
    func printed() throws {
        let registry = try Self.registry([OverlayTests.base])
        let printed = registry.effectiveManifest.serialized(pretty: true)
        #expect(registry.effectiveManifest["inherit"] == false)
        let other = try Self.registry([Self.whole, printed])
        #expect(other.effectiveManifest == registry.effectiveManifest)
        #expect(other.digest == registry.digest)
    }

    @Test("what is printed loads where an entry hides one of an earlier manifest, globally or for a host")
    func printedWithHidden() throws {
        let greedy = #"{ "id": "t", "factory": "text", "match": { "types": ["text/*"] } }"#
        let under = #"{ "manifestVersion": 1, "plugins": [PLAIN], "hosts": { "h.example": { "plugins": [HOST] } } }"#
            .replacing("PLAIN", with: #"{ "id": "a", "factory": "text", "match": { "types": ["text/plain"] } }"#)
            .replacing("HOST", with: #"{ "id": "b", "factory": "text", "match": { "types": ["text/csv"] } }"#)
        for (name, list) in [
            ("globally", #""plugins": [\#(greedy)]"#),
            ("for a host", #""hosts": { "h.example": { "plugins": [\#(greedy)] } }"#),
        ] {
            let over = #"{ "manifestVersion": 1, \#(list) }"#
            let registry = try Self.registry([under, over])
            let again = try Self.registry([registry.effectiveManifest.serialized()])
            #expect(again.digest == registry.digest, "\(name)")
            #expect(again.effectiveManifest == registry.effectiveManifest, "\(name)")
            #expect(again.lint().filter(\.isWarning).isEmpty, "\(name)")
        }
    }

    @Test("an added entry under it is gone, and a replaced serializer still is")
    func code() throws {
        let base = try Self.registry([OverlayTests.base]).adding("added", factory: "count")
            .replacing("text", with: CountFixture())
        let registry = try base.overlaid(by: .text(Self.whole, name: "whole"))
        #expect(registry.routes(host: nil).map(\.id) == ["count", "text"])
        #expect(registry.routes(host: nil).map(\.isReplaced) == [false, true])
        // A replacement of an entry that is not there changes nothing.
        let other = try base.replacing("json", with: CountFixture())
            .overlaid(by: .text(Self.whole, name: "whole"))
        #expect(other.digest == registry.digest)
    }

    /// A whole table after the base, and what is wrong with it.
    static let faults: [(members: String, sentence: String)] = [
        (#""inherit": "no""#, "overlay1.json:1: /inherit: expected true or false, found a string"),
        (
            #""inherits": false"#,
            "overlay1.json:1: /inherits: the key \"inherits\" is not known here; known are $schema, manifestVersion, inherit, policy, aliases, plugins, order, hosts; did you mean \"inherit\"?"
        ),
        (
            #""inherit": false, "policy": null"#,
            "overlay1.json:1: /policy: null removes the \"policy\" of an earlier manifest, and there is none under this one; leave the key out"
        ),
        (
            #""inherit": false, "plugins": [{ "id": "text", "match": { "types": ["a/b"] } }]"#,
            "overlay1.json:1: /plugins/0: the entry \"text\" needs the key \"factory\""
        ),
        (
            #""inherit": false, "policy": { "noMatch": "text" }"#,
            "overlay1.json:1: /policy/noMatch: there is no entry \"text\" here"
        ),
    ]

    @Test("what is wrong with one is said of it alone", arguments: faults)
    func fault(_ members: String, _ sentence: String) throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try Self.registry([OverlayTests.base, "{ \"manifestVersion\": 1, \(members) }"])
        }
        #expect(failure.description == sentence)
    }

    @Test("null is as if it were not said")
    func null() throws {
        let registry = try Self.registry([OverlayTests.base, #"{ "manifestVersion": 1, "inherit": null }"#])
        #expect(registry.digest == (try Self.registry([OverlayTests.base]).digest))
    }

    private static func registry(_ manifests: [String]) throws -> SerializerRegistry {
        try SerializerRegistry.fixture(manifests[0], overlays: Array(manifests.dropFirst()))
    }
}
