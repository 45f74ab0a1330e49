import PatchbayJSON
import PatchbayTools
import Testing

@testable import PatchbayRegistry

/// `without`: an entry of the global list that is not asked for the hosts of a section.
@Suite("Entries left out for a host") struct WithoutTests {
    /// JSON, the same again with another id, text, and what takes anything.
    private static let list = #"""
        "plugins": [
          { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
          { "id": "text", "factory": "text", "match": { "types": ["text/*"] } },
          { "id": "all", "factory": "count" }]
        """#

    private static func registry(_ hosts: String, _ more: String = "", overlays: String...) throws -> SerializerRegistry
    {
        try .fixture(
            #"{ "manifestVersion": 1, \#(list), "hosts": { \#(hosts) }\#(more) }"#,
            overlays: overlays.map { #"{ "manifestVersion": 1, \#($0) }"# })
    }

    private static let without = #""a.example": { "without": ["json"] }"#

    @Test("the entry is asked for no response of the host, and for all others as before")
    func reading() throws {
        let registry = try Self.registry(#""*.example": { "without": ["json"] }, "b.example": { "plugins": [] }"#)
        for (host, entry) in [("a.example", "all"), ("c.b.example", "all"), ("b.example", "json"), ("example", "json")]
        {
            #expect(registry.explain(contentType: "application/json", host: host).entryID == entry, "\(host)")
            let typed = registry.explain(contentType: "application/json", host: host, producing: .type([Int].self))
            #expect(typed.entryID == (entry == "json" ? "json" : nil))
            let accept = registry.accept(for: CanonicalHost(host), producing: .type([Int].self))
            #expect(accept?.contains("application/json") == (entry == "json"))
        }
        let decision = registry.explain(contentType: "application/json", host: "a.example")
        #expect(decision.candidates.map(\.entry) == ["text", "all"])
    }

    @Test("a request that names the entry gets it")
    func named() throws {
        let registry = try Self.registry(Self.without)
        let decision = registry.explain(
            contentType: "a/b", host: "a.example", producing: .type([Int].self),
            override: LookupOverride(using: .entry("json")))
        #expect(decision.entryID == "json")
        #expect(try decision.serialize(ResponseBody(text: "[1]"), as: [Int].self).value == [1])
    }

    @Test(
        "a policy of the top level that names the entry has to be another one for the host",
        arguments: ["noMatch", "missingContentType", "invalidContentType"])
    func policy(_ key: String) throws {
        let policy = #", "policy": { "\#(key)": "json" }"#
        let failure = try #require(throws: ManifestFailure.self) {
            try Self.registry(#""a.example": { "without": ["text", "json"] }"#, policy)
        }
        #expect(
            failure.issues.map(\.text) == [
                "Plugins.json: /hosts/a.example/without/1: \"without\" leaves out the entry \"json\", and \"\(key)\" of the policy "
                    + "of the top level names it; set another in the policy of the section"
            ])
        let own = try Self.registry(
            #""a.example": { "without": ["json"], "policy": { "\#(key)": "raw" } }"#, policy)
        #expect(own.policy(for: CanonicalHost("a.example")).noMatch == .raw)
        // The fault is where it was said last.
        let layered = try #require(throws: ManifestFailure.self) {
            try Self.registry(
                Self.without, overlays: #""hosts": { "a.example": { "policy": { "\#(key)": "json" } } }"#)
        }
        #expect(layered.issues.map { "\($0.file) \($0.pointer)" } == ["overlay1.json /hosts/a.example/policy/\(key)"])
    }

    @Test("an entry of the section does not hide what the section leaves out")
    func hidden() throws {
        func notes(_ more: String) throws -> [String] {
            try Self.registry(
                #""a.example": { \#(more) "plugins": [{ "id": "own", "factory": "json", "match": { "types": ["@json"] } }] }"#
            ).notes.filter { $0.kind == .hiddenEntry }.map(\.pointer)
        }
        #expect(try notes("") == ["/plugins/0"])
        #expect(try notes(#""without": ["json"],"#) == [])
    }

    @Test("a section that leaves out the writer of its requestContentType is noted, with the way back")
    func writing() throws {
        var factories = try SerializerFactories.fixtures()
        try factories.register("form") { ClerkFixture() }
        let text = #"""
            { "manifestVersion": 1, "plugins": [
                { "id": "form", "factory": "form", "match": { "types": ["application/json"] } },
                { "id": "other", "factory": "form", "match": { "types": ["a/b"] } }],
              "hosts": { "a.example": { "without": ["form"] }, "b.example": { "without": ["other"] } } }
            """#
        let registry = try SerializerRegistry(sources: [.text(text, name: "m")], factories: factories)
        let notes = registry.notes.filter { $0.kind == .unwritableContentType }.map(\.text)
        #expect(
            notes == [
                #"m: /hosts/a.example: no entry writes "application/json" for the host "a.example": a value that is sent there without "in:" fails with noWriter; "#
                    + #"take "form" out of "without", or set another "requestContentType""#
            ])
        #expect(registry.explain(writing: 1, host: "a.example").outcome == .error)
        #expect(registry.explain(writing: 1, host: "b.example").entry == "form")
    }

    @Test("two texts of one table have one digest, and what is left out another")
    func digest() throws {
        let registry = try Self.registry(Self.without)
        let layered = try Self.registry("", overlays: #""hosts": { "A.example.": { "without": ["json"] } }"#)
        #expect(layered.digest == registry.digest)
        #expect(try Self.registry(#""a.example": {}"#).digest != registry.digest)
        #expect(registry.effectiveManifest["hosts"]?["a.example"] == ["without": ["json"]])
        let comparison = try RegistryComparison(try Self.registry(#""a.example": {}"#), registry)
        #expect(Set(comparison.changes.map(\.aspect)) == [.entries, .accept])
    }

    @Test("a layer that leaves out what the layers before it have is meant, so that nothing warns of it")
    func lint() throws {
        let registry = try Self.registry(
            #""*.example": { "plugins": [{ "id": "w", "factory": "text", "match": { "types": ["a/b"] } }] }"#,
            overlays: #""hosts": { "a.example": { "extends": "*.example", "without": ["json", "all"] } }"#)
        #expect(registry.lint().map(\.text) == [])
        #expect(registry.routes(host: CanonicalHost("a.example")).map(\.id) == ["w", "text"])
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        let entry: String
        /// The end of the only fault, by one manifest and over another one.
        let one: String
        let over: String
        var testDescription: String { name }
    }

    private static let way = #"; "without": ["json"] in the section of a host leaves it out there"#
    private static let other =
        #"; an entry is changed in its own list, and another one here needs a new id and "factory": "json""#

    private static let another = "; give one of them another"

    static let mistakes = [
        Mistake(name: "off", entry: #"{ "id": "json", "enabled": false }"#, one: way, over: way),
        Mistake(
            name: "off, with a note", entry: #"{ "id": "json", "enabled": false, "x-why": "slow" }"#, one: way,
            over: way),
        Mistake(name: "on", entry: #"{ "id": "json", "enabled": true }"#, one: another, over: other),
        Mistake(name: "its options", entry: #"{ "id": "json", "options": {} }"#, one: another, over: other),
        Mistake(
            name: "off, and more", entry: #"{ "id": "json", "enabled": false, "options": {} }"#, one: another,
            over: other),
    ]

    @Test("a section that switches off a global entry is told of \"without\"", arguments: mistakes)
    func switchedOff(_ mistake: Mistake) throws {
        let section = #""a.example": { "plugins": [\#(mistake.entry)] }"#
        let one = try #require(throws: ManifestFailure.self) { try Self.registry(section) }
        #expect(
            one.issues.map(\.text) == [
                #"Plugins.json: /hosts/a.example/plugins/0/id: the id "json" is taken by the entry at /plugins/0"#
                    + mistake.one
            ])
        let over = try #require(throws: ManifestFailure.self) {
            try Self.registry("", overlays: #""hosts": { \#(section) }"#)
        }
        #expect(
            over.issues.map(\.text) == [
                #"overlay1.json: /hosts/a.example/plugins/0/id: the id "json" is taken by an entry of another list in Plugins.json"#
                    + mistake.over
            ])
    }

    @Test("an entry of a section that the global list switches off is no case for it")
    func otherWay() throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try Self.registry(
                #""a.example": { "plugins": [{ "id": "own", "factory": "text", "match": { "types": ["a/b"] } }] }"#,
                overlays: #""plugins": [{ "id": "own", "enabled": false }]"#)
        }
        #expect(!failure.description.contains("without"))
    }
}
