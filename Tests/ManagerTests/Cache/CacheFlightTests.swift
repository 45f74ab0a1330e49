import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// Equal requests at once: later ones wait for the first, if its answer may be stored.
@Suite("Equal requests at once", .timeLimit(.minutes(5))) struct CacheFlightTests {
    private static let json: HeaderFields = ["Content-Type": "application/json", "Cache-Control": "max-age=60"]

    /// A server that answers when the gate is open, and counts.
    private static func manager(
        _ registry: SerializerRegistry? = nil, behind gate: OneShot,
        _ reply: @escaping @Sendable (Int) throws -> StubReply = { _ in
            StubReply(fields: json, body: "7")
        }
    ) throws -> (SessionManager, Shared<Int>, OneShot) {
        let (count, asked) = (Shared(0), OneShot())
        let (manager, _) = try stubManager(
            registry, configuration: SessionConfiguration(cache: .memory(bytes: 1 << 20))
        ) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            asked.fire()
            await gate.fired()
            return try reply(number)
        }
        return (manager, count, asked)
    }

    /// Makes calls of one URL, which are all on their way when this returns.
    private static func calls(
        _ number: Int, of manager: SessionManager, after asked: OneShot
    ) async -> [Task<Reply<Int>, any Error>] {
        var calls = [Task { try await manager.send(SessionRequest("page"), as: Int.self) }]
        await asked.fired()
        calls += (1..<number).map { _ in Task { try await manager.send(SessionRequest("page"), as: Int.self) } }
        while manager.tasks.count < number { await Task.yield() }
        return calls
    }

    @Test("a thousand equal requests are one exchange")
    func thousand() async throws {
        let gate = OneShot()
        let (manager, count, asked) = try Self.manager(behind: gate)
        let calls = await Self.calls(1_000, of: manager, after: asked)
        gate.fire()
        var statuses: [String: Int] = [:]
        for call in calls {
            let reply = try await call.value
            #expect(reply.value == 7)
            var status = try #require(reply.cacheStatus)
            status.timeToLive = nil
            statuses["\(status)", default: 0] += 1
        }
        #expect(count.withLock { $0 } == 1)
        #expect(statuses["fwd=miss; stored"] == 1)
        #expect(statuses["fwd=miss; collapsed", default: 0] + statuses["hit", default: 0] == 999)
    }

    @Test("a cancelled call takes no other with it", arguments: [0, 1, 50])
    func cancelled(place: Int) async throws {
        let gate = OneShot()
        let (manager, count, asked) = try Self.manager(behind: gate)
        let calls = await Self.calls(100, of: manager, after: asked)
        calls[place].cancel()
        let error = await #expect(throws: SessionError.self) { try await calls[place].value }
        #expect(error?.code == .cancelled)
        gate.fire()
        for (other, call) in calls.enumerated() where other != place { #expect(try await call.value.value == 7) }
        // If it was the first, another one goes out in its place.
        #expect(count.withLock { $0 } == (place == 0 ? 2 : 1))
    }

    @Test("if the first one fails, each of the others goes out by itself")
    func failure() async throws {
        let gate = OneShot()
        let (manager, count, asked) = try Self.manager(behind: gate) { number in
            if number == 1 { throw TransportFailure(.lostConnection, "it broke") }
            return StubReply(fields: Self.json, body: "7")
        }
        let calls = await Self.calls(20, of: manager, after: asked)
        gate.fire()
        await #expect(throws: SessionError.self) { try await calls[0].value }
        for call in calls.dropFirst() { #expect(try await call.value.value == 7) }
        #expect((2...20).contains(count.withLock { $0 }))
    }

    @Test("a URL whose answer may not be stored is waited for once")
    func unstored() async throws {
        let gates = [OneShot(), OneShot()]
        let count = Shared(0)
        let asked = [OneShot(), OneShot()]
        let (manager, _) = try stubManager(configuration: SessionConfiguration(cache: .memory(bytes: 1 << 20))) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let round = number > 10 ? 1 : 0
            asked[round].fire()
            await gates[round].fired()
            return StubReply(fields: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: "7")
        }
        let first = await Self.calls(10, of: manager, after: asked[0])
        gates[0].fire()
        for call in first { #expect(try await call.value.value == 7) }
        #expect(count.withLock { $0 } == 10)
        // Now all go out, although none is answered. That one was cancelled says nothing about the answer.
        let cancelled = Task { try await manager.send(SessionRequest("page"), as: Int.self) }
        await asked[1].fired()
        cancelled.cancel()
        await #expect(throws: SessionError.self) { try await cancelled.value }
        let second = (0..<10).map { _ in Task { try await manager.send(SessionRequest("page"), as: Int.self) } }
        while count.withLock({ $0 }) < 21 { await Task.yield() }
        gates[1].fire()
        for call in second { #expect(try await call.value.value == 7) }
    }

    @Test("elements and downloads don't wait, and nobody waits for them")
    func elements() async throws {
        let gate = OneShot()
        let registry = try TestRegistry.make(
            #"[{ "id": "ndjson", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] } }]"#)
        let (manager, count, asked) = try Self.manager(registry, behind: gate) { _ in
            StubReply(fields: ["Content-Type": "application/x-ndjson", "Cache-Control": "max-age=60"], body: "7\n")
        }
        let folder = TemporaryFolder()
        let calls: [Task<Void, any Error>] = [
            Task { for try await element in try await manager.stream("page", of: Int.self) { #expect(element == 7) } },
            Task { _ = try await manager.download("page", to: .file(folder.url.appending(path: "page"))) },
            Task { for try await element in try await manager.stream("page", of: Int.self) { #expect(element == 7) } },
        ]
        await asked.fired()
        while count.withLock({ $0 }) < 3 { await Task.yield() }
        gate.fire()
        for call in calls { try await call.value }
    }

    @Test("an answer from before a change is not stored, and no call after the change waits for it")
    func overtaken() async throws {
        let (gate, asked, old) = (OneShot(), OneShot(), Shared(true))
        let (manager, _) = try stubManager(configuration: SessionConfiguration(cache: .memory(bytes: 1 << 20))) {
            request in
            guard request.head.method == "GET" else { return StubReply(status: 204) }
            guard old.withLock({ $0 }) else { return StubReply(fields: Self.json, body: "2") }
            asked.fire()
            await gate.fired()
            return StubReply(fields: Self.json, body: "1")
        }
        let first = Task { try await manager.get("page", as: Int.self) }
        await asked.fired()
        _ = try await manager.send(SessionRequest("page", method: "DELETE"))
        old.withLock { $0 = false }
        #expect(try await manager.get("page", as: Int.self) == 2)
        gate.fire()
        #expect(try await first.value == 1)
        let last = try await manager.send(SessionRequest("page"), as: Int.self)
        #expect(last.value == 2)
        #expect(last.cacheStatus?.isHit == true)
    }

    /// What happens while a request is on its way.
    enum Change: String, CaseIterable { case clear, delete }

    @Test(
        "what is cleared or changed stays so, whatever was on its way", arguments: Change.allCases,
        ["GET", "304", "HEAD"])
    func revived(change: Change, by late: String) async throws {
        let (gate, asked, isLate) = (OneShot(), OneShot(), Shared(false))
        let fields = Self.json.with(["ETag": "\"a\""])
        let (manager, _) = try stubManager(configuration: SessionConfiguration(cache: .memory(bytes: 1 << 20))) {
            request in
            guard request.head.method != "DELETE" else { return StubReply(status: 204) }
            guard isLate.withLock({ $0 }) else { return StubReply(fields: fields, body: "1") }
            asked.fire()
            await gate.fired()
            return late == "304" ? StubReply(status: 304) : StubReply(fields: fields, body: late == "HEAD" ? "" : "1")
        }
        let accept: HeaderFields = ["Accept": "application/json"]
        if late != "GET" { _ = try await manager.send(SessionRequest("page", headers: accept)) }
        isLate.withLock { $0 = true }
        let request = SessionRequest(
            "page", method: late == "HEAD" ? "HEAD" : "GET", headers: accept.with(["Cache-Control": "no-cache"]))
        let call = Task { try await manager.send(request) }
        await asked.fired()
        switch change {
        case .clear: await manager.configuration.cache?.clear()
        case .delete: _ = try await manager.send(SessionRequest("page", method: "DELETE"))
        }
        gate.fire()
        _ = try await call.value
        isLate.withLock { $0 = false }
        #expect(try await manager.send(SessionRequest("page", headers: accept)).cacheStatus?.isHit == false)
    }

    /// On a busy machine, the timeout itself can come first; then it is tried again.
    @Test("a call that waits for a silent answer goes out by itself after half of its idle timeout", arguments: [3])
    func patience(rounds: Int) async throws {
        for _ in 0..<rounds {
            let gate = OneShot()
            let (manager, count, asked) = try Self.manager(behind: gate)
            let first = Task { try await manager.send(SessionRequest("page"), as: Int.self) }
            await asked.fired()
            var request = SessionRequest("page")
            request.idleTimeout = .seconds(3)
            let ended = OneShot()
            let impatient = Task { [request] in
                defer { ended.fire() }
                return try await manager.send(request, as: Int.self)
            }
            while count.withLock({ $0 }) < 2, !ended.hasFired { try await Task.sleep(for: .milliseconds(1)) }
            gate.fire()
            #expect(try await first.value.value == 7)
            guard let reply = try? await impatient.value else { continue }
            #expect(reply.value == 7)
            #expect(count.withLock { $0 } == 2)
            return
        }
        Issue.record("the timeout came first each time")
    }
}
