import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

/// Which factories run when a registry is made from another one.
@Suite("Factories of a registry that is made from another")
struct FactoryRunTests {
    /// Tells which object it is.
    private final class Made: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ObjectIdentifier { ObjectIdentifier(self) }
    }

    private struct Options: Decodable, Sendable { var n: Int? }

    /// Factories that say for which entry they run.
    private static func factories(
        _ runs: Shared<[String]>, _ names: [String] = ["one", "two"], prefix: String = ""
    ) throws -> SerializerFactories {
        var factories = SerializerFactories()
        for name in names {
            try factories.register(name, types: []) { (_: Options, context) in
                runs.withLock { $0.append(prefix + context.entryID) }
                return Made()
            }
        }
        return factories
    }

    /// Twenty global entries, one that is switched off, one of a host, and a policy.
    private static let base = ManifestSource.text(
        """
        { "manifestVersion": 1, "policy": { "limits": { "maxBodyBytes": 1000 } }, "plugins": [
            { "id": "off", "factory": "one", "enabled": false, "match": { "types": ["own/off"] } },
            \((0..<20).map { #"{ "id": "e\#($0)", "factory": "one", "options": { "n": 1 }, "match": { "types": ["own/e\#($0)"] } }"# }.joined(separator: ","))],
          "hosts": { "one.test": { "plugins": [{ "id": "hosted", "factory": "two", "match": { "types": ["own/hosted"] } }] } } }
        """, name: "Plugins.json")

    private static let everyID = (0..<20).map { "e\($0)" } + ["hosted"]

    /// The registry of the base, and what runs from now on.
    private func start() throws -> (SerializerRegistry, Shared<[String]>) {
        let runs = Shared<[String]>([])
        let registry = try SerializerRegistry(sources: [Self.base], factories: Self.factories(runs))
        #expect(runs.value == Self.everyID)
        runs.withLock { $0 = [] }
        return (registry, runs)
    }

    private func object(_ id: String, _ registry: SerializerRegistry) throws -> ObjectIdentifier? {
        let decision = registry.explain(contentType: nil, override: LookupOverride(using: .entry(id)))
        return try decision.serialize(ResponseBody(text: "x")).value as? ObjectIdentifier
    }

    @Test("an entry that is added has its factory run, and no other")
    func adding() throws {
        let (base, runs) = try start()
        let added = try base.adding("new", factory: "two", types: ["own/new"])
        #expect(runs.value == ["new"])
        let twice = try added.adding("newer", factory: "one", host: "two.test")
        #expect(runs.value == ["new", "newer"])
        for id in Self.everyID {
            let before = try #require(try object(id, base))
            #expect(try object(id, added) == before && object(id, twice) == before, "\(id)")
        }
        #expect(try object("new", added) == object("new", twice))
    }

    @Test("a serializer that is replaced runs no factory")
    func replacing() throws {
        let (base, runs) = try start()
        let replaced = try base.replacing("e3", with: CountFixture())
        let twice = try replaced.replacing("e4", with: CountFixture(), host: "one.test")
        #expect(runs.value == [])
        #expect(try object("e3", twice) == nil && object("e5", twice) == object("e5", base))
        // The entry that was replaced is still there, for what is made of the registry later.
        _ = try twice.adding("new", factory: "one")
        #expect(runs.value == ["new"])
    }

    @Test(
        "an overlay has the factories run of entries that they would make otherwise",
        arguments: [
            ("nothing", "", [String]()),
            ("its types", #""plugins": [{ "id": "e1", "match": { "types": ["own/other"] } }]"#, []),
            ("its failure rule", #""plugins": [{ "id": "e1", "onFailure": "next" }]"#, []),
            ("its place", #""plugins": [{ "id": "e1", "place": "last" }]"#, []),
            ("the same options", #""plugins": [{ "id": "e1", "options": { "n": 1 } }]"#, []),
            ("its options", #""plugins": [{ "id": "e1", "options": { "n": 2 } }]"#, ["e1"]),
            ("how a number is written", #""plugins": [{ "id": "e1", "options": { "n": 1.0 } }]"#, ["e1"]),
            ("its factory", #""plugins": [{ "id": "e1", "factory": "two" }]"#, ["e1"]),
            ("its limit", #""plugins": [{ "id": "e1", "limits": { "maxBodyBytes": 9 } }]"#, ["e1"]),
            ("a limit above that of all", #""plugins": [{ "id": "e1", "limits": { "maxBodyBytes": 9999 } }]"#, []),
            ("the limit of all", #""policy": { "limits": { "maxBodyBytes": 2000 } }"#, everyID),
            ("that it is off", #""plugins": [{ "id": "off", "enabled": true }]"#, ["off"]),
            ("off and nothing else", #""plugins": [{ "id": "e1", "enabled": false }]"#, []),
        ])
    func overlaid(_ name: String, _ members: String, _ expected: [String]) throws {
        let (base, runs) = try start()
        let overlay = #"{ "manifestVersion": 1\#(members.isEmpty ? "" : ", " + members) }"#
        let overlaid = try base.overlaid(by: .text(overlay, name: "overlay.json"))
        #expect(runs.value == expected, "\(name)")
        #expect(try object("e7", overlaid) == object("e7", base) || expected.contains("e7"))
    }

    @Test("more factories take the place of those of their names, and only they run")
    func otherFactories() throws {
        let (base, runs) = try start()
        _ = try base.with(Self.factories(runs, ["two"], prefix: "other "))
        #expect(runs.value == ["other hosted"])
    }

    @Test("a reload runs every factory, which may read what is outside of the manifest")
    func reloaded() throws {
        let (base, runs) = try start()
        let source = ManifestSource.text(#"{ "manifestVersion": 1 }"#, name: "overlay.json")
        let reloaded = try base.reloaded([source.read()])
        #expect(runs.value == Self.everyID)
        _ = try reloaded.replacing("e1", with: CountFixture())
        #expect(runs.value == Self.everyID)
    }

    @Test("a factory that failed is run again")
    func failed() throws {
        let fails = Shared(true)
        var factories = SerializerFactories()
        try factories.register("moody") {
            if fails.value { throw Broken() }
            return Made()
        }
        let empty = try SerializerRegistry(sources: [], factories: factories)
        #expect(throws: ManifestFailure.self) { try empty.adding("a", factory: "moody") }
        fails.withLock { $0 = false }
        #expect(try empty.adding("a", factory: "moody").routes(host: nil).map(\.id) == ["a"])
    }
}

extension Shared {
    fileprivate var value: Value { withLock { $0 } }
}
