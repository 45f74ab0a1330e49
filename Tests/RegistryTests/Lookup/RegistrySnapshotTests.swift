import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

@Suite("Snapshots and tables of a registry")
struct RegistrySnapshotTests {
    private static let entries =
        #"{ "id": "json", "factory": "json", "match": { "types": ["@json"], "status": ["2XX"] }, "limits": { "maxBodyBytes": 9 } }"#

    @Test("a digest of sixteen digits that is the same for the same content")
    func digest() throws {
        let registry = try SerializerRegistry.entries(Self.entries)
        #expect(registry.digest.utf8.count == 16)
        #expect(try SerializerRegistry.entries(Self.entries).digest == registry.digest)
        #expect(try SerializerRegistry.entries(Self.entries, #""x-note": 1"#).digest == registry.digest)
        #expect(try SerializerRegistry.entries("").digest != registry.digest)
        // Pinned: a digest in an old error still names the manifest it was made from.
        #expect(
            registry.effectiveManifest.serialized(sortedKeys: true)
                == #"{"inherit":false,"manifestVersion":1,"plugins":[{"factory":"json","id":"json","limits":{"maxBodyBytes":9},"match":{"status":["2XX"],"types":["@json"]}}]}"#
        )
        #expect(registry.digest == "7861a1446cbb57dd")
    }

    @Test("a decision keeps the registry it was made with")
    func snapshot() throws {
        var registry = try SerializerRegistry.entries(Self.entries)
        let decision = registry.explain(contentType: "application/json")
        let before = registry.digest
        registry = try registry.replacing("json", with: CountFixture())
        #expect(decision.registry.digest == before)
        #expect(try decision.serialize(ResponseBody(text: "[1]")).value as? JSON == [1])
        #expect(
            try registry.explain(contentType: "application/json").serialize(ResponseBody(text: "[1]")).value as? Int
                == 3)
    }

    /// Takes or declines as it is told to at the time.
    private struct MoodyFixture: ResponseSerializer {
        let takes: Shared<Bool>
        func declineReason(_ head: ResponseHead) -> String? { takes.withLock { $0 } ? nil : "it is in no mood" }
        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { "moody" }
    }

    @Test("the reasons are those of the decision, whatever a serializer would say by now", arguments: [true, false])
    func reasons(_ takes: Bool) throws {
        let mood = Shared(takes)
        var factories = try SerializerFactories.fixtures()
        try factories.register("moody") { MoodyFixture(takes: mood) }
        let manifest =
            #"{ "manifestVersion": 1, "plugins": [{ "id": "moody", "factory": "moody" }, { "id": "count", "factory": "count" }] }"#
        let registry = try SerializerRegistry(
            sources: [.text(manifest, name: "Plugins.json")], factories: factories)
        let decision = registry.explain(contentType: "a/b")
        let chosen = takes ? "moody" : "count"
        #expect(decision.entryID == chosen)
        mood.withLock { $0 = !takes }
        #expect(
            decision.candidates.map { "\($0.entry) \($0.verdict)" } == (takes ? [] : ["moody declined"]) + [
                "\(chosen) chosen"
            ])
        #expect(try decision.serialize(ResponseBody(text: "x")).entry == chosen)
    }

    @Test("a row of the table")
    func route() throws {
        let route = try #require(try SerializerRegistry.entries(Self.entries).routes(host: nil).first)
        #expect(route.id == "json" && route.factory == "json" && route.types == ["@json"])
        #expect(route.coverage.status.description == "2XX" && route.output == "JSON" && route.onFailure == .error)
        #expect(route.maximumBodyBytes == 9 && route.availability == .available && route.hostSection == nil)
        #expect(route.file == "Plugins.json" && route.pointer == "/plugins/0" && !route.isReplaced)
    }

    @Test("what a factory is told")
    func context() throws {
        func told(_ entry: String, _ more: String) throws -> String? {
            let registry = try SerializerRegistry.entries(#"{ "id": "c", "factory": "context" \#(entry) }"#, more)
            return try registry.explain(contentType: "a/b").serialize(ResponseBody(text: "x")).value as? String
        }
        #expect(try told("", #""x-a": 1"#) == "c 67108864 x")
        #expect(try told("", #""policy": { "limits": { "maxBodyBytes": 7 } }"#) == "c 7 x")
        #expect(
            try told(#", "limits": { "maxBodyBytes": 5 }"#, #""policy": { "limits": { "maxBodyBytes": 7 } }"#)
                == "c 5 x")
        #expect(
            try told(
                "",
                #""policy": { "limits": { "maxBodyBytes": 7 } }, "hosts": { "a.b": { "policy": { "limits": { "maxBodyBytes": 8 } } } }"#
            )
                == "c 8 x")
    }

    @Test("keys that start with x- are ignored everywhere but where keys are data")
    func notes() throws {
        let registry = try SerializerRegistry.entries(
            #"{ "id": "json", "x-a": 1, "factory": "json", "match": { "x-b": 2, "types": ["x-c/d"] }, "limits": { "x-d": 3 }, "options": { "x-e": 4 } }"#,
            #""x-f": [], "policy": { "x-g": 5, "empty": { "x-h": 6 } }, "aliases": { "x-i/j": "x-c/d" }, "hosts": { "x-k.example": { "x-l": 7, "inherit": false } }"#
        )
        #expect(registry.explain(contentType: "x-i/j").entryID == "json")
        #expect(registry.explain(contentType: "x-i/j", host: "x-k.example").entryID == nil)
    }
}
