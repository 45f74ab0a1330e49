import PatchbayRegistry
import Testing

/// Factories of which a tool knows the names alone.
@Suite struct DeclaredFactoryTests {
    private func registry(_ entries: String) throws -> SerializerRegistry {
        var factories = try SerializerFactories.fixtures()
        for name in ["own", "other"] { try factories.declare(name) }
        let text = #"{ "manifestVersion": 1, "plugins": [\#(entries)] }"#
        return try SerializerRegistry(sources: [.text(text, name: "m.json")], factories: factories)
    }

    private static func entry(_ id: String, _ factory: String, _ options: String = "{}") -> String {
        #"{ "id": "\#(id)", "factory": "\#(factory)", "match": { "types": ["a/b"] }, "options": \#(options) }"#
    }

    @Test("any options will do, and a note says so")
    func options() throws {
        let registry = try registry(Self.entry("a", "own", #"{ "any": [1] }"#))
        #expect(
            registry.notes.filter { $0.kind == .declaredFactory }.map(\.text) == [
                #"m.json: /plugins/0: the options of the entry "a" are not judged: its factory "own" is only declared"#
            ])
        #expect(registry.notes.contains { $0.message == #"no entry uses the factory "other""# })
    }

    @Test("all else is judged")
    func rest() throws {
        let entry = #"{ "id": "a", "factory": "own", "match": { "types": ["ab"] }, "onFailure": "no" }"#
        let failure = try #require(throws: ManifestFailure.self) { try registry(entry) }
        #expect(failure.issues.map(\.pointer) == ["/plugins/0/match/types/0", "/plugins/0/onFailure"])
    }

    @Test("one entry hides another for sure where their factory is the same")
    func hidden() throws {
        let failure = try #require(throws: ManifestFailure.self) {
            try registry(Self.entry("a", "own") + ", " + Self.entry("b", "own"))
        }
        #expect(failure.issues.map(\.kind) == [.hiddenEntry])
        #expect(throws: Never.self) { try registry(Self.entry("a", "own") + ", " + Self.entry("b", "other")) }
    }

    @Test("a name that is taken cannot be declared")
    func taken() throws {
        var factories = try SerializerFactories.fixtures()
        let failure = try #require(throws: ManifestFailure.self) { try factories.declare("text") }
        #expect(failure.issues.map(\.kind) == [.duplicateFactory])
    }
}
