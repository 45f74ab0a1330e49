import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct SnapshotTests {
    @Test("1.5.5: of 1,000 delayed requests each is serialized by the registry it was created with, through five swaps")
    func swaps() async throws {
        let gate = OneShot()
        let arrived = Counter()
        let (manager, _) = try stubManager { _ in
            arrived.add()
            await gate.fired()
            return .words("a b")
        }
        let registries = try (0..<6).map { generation in
            try TestRegistry.make(
                #"[{ "id": "words-\#(generation)", "factory": "words", "match": { "types": ["text/words"] } }]"#)
        }
        #expect(Set(registries.map(\.digest)).count == 6)

        var calls: [(generation: Int, reply: Task<Reply<any Sendable>, any Error>)] = []
        for (generation, registry) in registries.enumerated() {
            manager.registry = registry
            let count = generation < 5 ? 167 : 165
            for _ in 0..<count {
                calls.append((generation, Task { try await manager.send(SessionRequest("a")) }))
            }
            // Every call of this generation is in flight, and none has an answer, when the registry is swapped.
            await arrived.reaches(calls.count)
        }
        #expect(calls.count == 1000)
        gate.fire()
        for call in calls {
            let reply = try await call.reply.value
            #expect(reply.decision.registryDigest == registries[call.generation].digest)
            #expect(reply.entry == "words-\(call.generation)")
        }
    }

    @Test("a registry is swapped for one host, in code")
    func oneHost() async throws {
        struct Fixed: ResponseSerializer {
            func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { 7 }
        }
        let (manager, _) = try stubManager { _ in .json("1") }
        manager.registry = try manager.registry.replacing("json", with: Fixed(), host: "special.test")
        #expect(try await manager.send("http://special.test/").value as? Int == 7)
        #expect(try await manager.get("http://origin.test/", as: Int.self) == 1)
    }
}

/// Counts, and lets a test wait for a count.
actor CounterState {
    private var count = 0
    private var waiting: [(Int, CheckedContinuation<Void, Never>)] = []

    func add() {
        count += 1
        for (_, continuation) in waiting.filter({ $0.0 <= count }) { continuation.resume() }
        waiting.removeAll { $0.0 <= count }
    }

    func reaches(_ target: Int) async {
        guard count < target else { return }
        await withCheckedContinuation { waiting.append((target, $0)) }
    }
}

struct Counter: Sendable {
    private let state = CounterState()
    func add() { Task { await state.add() } }
    func reaches(_ target: Int) async { await state.reaches(target) }
}
