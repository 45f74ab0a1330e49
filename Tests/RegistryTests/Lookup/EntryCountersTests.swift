import PatchbayJSON
import PatchbayRegistry
import Testing

/// What the entries of a registry have done.
@Suite struct EntryCountersTests {
    private static let entries = """
        { "id": "picky", "factory": "picky", "match": { "types": ["text/*"] }, "onFailure": "next" },
        { "id": "broken", "factory": "broken", "match": { "types": ["@json"], "status": ["2XX"] }, "onFailure": "next" },
        { "id": "json", "factory": "json", "match": { "types": ["@json"] } },
        { "id": "small", "factory": "text", "match": { "types": ["text/plain"] }, "limits": { "maxBodyBytes": 3 } },
        { "id": "never", "factory": "text", "match": { "types": ["own/never"] } },
        { "id": "off", "factory": "text", "enabled": false, "match": { "types": ["own/off"] } }
        """
    private static let host = #""hosts": { "one.test": { "plugins": [{ "id": "hosted", "factory": "count" }] } }"#

    private struct Numbers: Decodable, Sendable { let n: Int }

    /// Without the time, which no test knows.
    private func rows(_ counters: EntryCounters) -> [String] {
        counters.counts.map { "\($0.entry) \($0.chosen) \($0.declined) \($0.failed) \($0.bytes)" }
    }

    private func serialize(_ registry: SerializerRegistry, _ type: String?, _ text: String, host: String? = nil) {
        _ = try? registry.explain(contentType: type, host: host).serialize(ResponseBody(text: text))
    }

    @Test(
        "who was chosen, declined and failed is what the decisions say, and entries that were never chosen are there too"
    )
    func counts() throws {
        let counters = EntryCounters()
        let registry = try SerializerRegistry.entries(Self.entries, Self.host).counted(by: counters)
        #expect(rows(counters) == ["picky", "broken", "json", "small", "never", "hosted"].map { "\($0) 0 0 0 0" })
        serialize(registry, "application/json", "[1]")
        serialize(registry, "application/json", "[1,2]")
        serialize(registry, "application/json", "{")
        serialize(registry, "text/plain", "abc")
        serialize(registry, "text/plain", "abcd")
        serialize(registry, "own/other", "abc")
        serialize(registry, "own/other", "abcdef", host: "one.test")
        // An entry, what it was chosen, declined and failed for, and the bytes.
        #expect(
            rows(counters) == [
                "picky 0 6 0 0", "broken 0 3 3 9", "json 2 3 1 9", "small 1 1 1 7", "never 0 1 0 0", "hosted 1 0 0 6",
            ])
        #expect(counters.neverChosen.map(\.entry) == ["picky", "broken", "never"])
        #expect(counters.counts.allSatisfy { $0.registry == registry.digest })
        #expect(counters.counts.filter { $0.nanoseconds > 0 }.map(\.entry) == ["broken", "json", "small", "hosted"])
    }

    @Test("typed values, later ones and those of a request's own serializer")
    func typed() throws {
        let counters = EntryCounters()
        let registry = try SerializerRegistry.entries(Self.entries).counted(by: counters)
        let decision = registry.explain(contentType: "application/json", producing: .type(Numbers.self))
        _ = try decision.serialize(ResponseBody(text: #"{"n":1}"#), as: Numbers.self)
        _ = try registry.explain(contentType: "application/json").serialize(
            ResponseBody(text: #"{"n":22}"#), as: Numbers.self)
        // Bytes ask no entry, and a serializer that the request brings is none.
        _ = try decision.serialize(ResponseBody(text: "{}"), as: [UInt8].self)
        let own = LookupOverride(using: .serializer(ClosureResponseSerializer { _, _ in 7 }))
        _ = try registry.explain(contentType: "text/plain", override: own).serialize(ResponseBody(text: "x"))
        #expect(
            rows(counters) == ["picky 0 2 0 0", "broken 0 2 0 0", "json 2 0 0 15", "small 0 0 0 0", "never 0 0 0 0"])
    }

    @Test("an unwrapped body counts for the entry that unwraps it, and for the one that serializes what was inside")
    func unwrapped() throws {
        var factories = try SerializerFactories.fixtures()
        try factories.register("envelope") { (_: NoOptions, _) in UnwrappingTests.Envelope() }
        let text =
            #"{ "manifestVersion": 1, "plugins": [\#(UnwrappingTests.envelope()), \#(UnwrappingTests.text), \#(UnwrappingTests.json)] }"#
        let counters = EntryCounters()
        let registry = try SerializerRegistry(sources: [ManifestSource(name: "m", text)], factories: factories)
            .counted(by: counters)
        serialize(registry, "app/envelope", "application/json\n[1]")
        #expect(rows(counters) == ["envelope 1 0 0 20", "text 0 1 0 0", "json 1 0 0 3"])
    }

    @Test("a registry that is made of a counted one is counted by its own digest; others are not counted")
    func registries() throws {
        let counters = EntryCounters()
        let plain = try SerializerRegistry.entries(UnwrappingTests.json)
        let counted = plain.counted(by: counters)
        #expect(counted.digest == plain.digest)
        let overlay = ManifestSource(name: "o", #"{ "manifestVersion": 1, "plugins": [\#(UnwrappingTests.text)] }"#)
        let overlaid = try counted.overlaid(by: overlay)
        serialize(plain, "application/json", "[1]")
        serialize(counted, "application/json", "[1]")
        serialize(overlaid, "application/json", "[1]")
        #expect(
            counters.counts.map { "\($0.registry) \($0.entry) \($0.chosen)" } == [
                "\(overlaid.digest) text 0", "\(overlaid.digest) json 1", "\(plain.digest) json 1",
            ])
        // Nine registries are kept, and the oldest of them goes.
        for number in 0..<8 {
            let entry = #"{ "id": "e\#(number)", "factory": "text", "match": { "types": ["own/e"] } }"#
            let more = ManifestSource(name: "o", #"{ "manifestVersion": 1, "plugins": [\#(entry)] }"#)
            serialize(try counted.overlaid(by: more), "own/e", "x")
        }
        #expect(Set(counters.counts.map(\.registry)).count == 9)
        #expect(!counters.counts.contains { $0.registry == plain.digest })
        #expect(counters.counts.first?.entry == "e7")
    }

    @Test("counts of many tasks add up")
    func many() async throws {
        let counters = EntryCounters()
        let registry = try SerializerRegistry.entries(UnwrappingTests.json).counted(by: counters)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { for _ in 0..<100 { serialize(registry, "application/json", "[1]") } }
            }
        }
        #expect(rows(counters) == ["json 1600 0 0 4800"])
    }

    @Test("what was never chosen stands out, and stands first")
    func description() throws {
        let counters = EntryCounters()
        let registry = try SerializerRegistry.entries("\(UnwrappingTests.json), \(UnwrappingTests.text)").counted(
            by: counters)
        serialize(registry, "application/json", "[1]")
        let lines = counters.description.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0] == "\(registry.digest) text: NEVER CHOSEN, declined 0, failed 0, 0 bytes in 0 µs")
        #expect(lines[1].hasPrefix("\(registry.digest) json: chosen 1, declined 0, failed 0, 3 bytes in "))
    }
}
