import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test("a call that is cancelled before it starts sends nothing")
    func before() async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await manager.send("a")
        }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(error?.description == "GET origin.test/a: the call was cancelled")
        #expect(stub.requests.isEmpty)
    }

    @Test("a call that is cancelled under way ends as cancelled")
    func during() async throws {
        let started = OneShot()
        let (manager, _) = try stubManager { _ in
            started.fire()
            return StubReply(delay: .seconds(3600))
        }
        let call = Task { try await manager.send("a") }
        await started.fired()
        call.cancel()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("cancelling while the serializer runs is cancellation, not a failure of the serializer")
    func whileSerializing() async throws {
        struct Late: ResponseSerializer {
            let cancel: Shared<(@Sendable () -> Void)?>
            func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int {
                cancel.withLock { $0 }?()
                #expect(Task.isCancelled)
                throw TestRegistry.Shout()
            }
        }
        let cancel = Shared<(@Sendable () -> Void)?>(nil)
        let registry = try TestRegistry.make().replacing("json", with: Late(cancel: cancel))
        let (manager, _) = try stubManager(registry) { _ in .json("1") }
        let known = OneShot()
        let call = Task {
            await known.fired()
            return try await manager.send("a")
        }
        cancel.withLock { $0 = { call.cancel() } }
        known.fire()
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("a serializer that says it was cancelled ends the call as cancelled")
    func saidBySerializer() async throws {
        struct Resigned: ResponseSerializer {
            func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { throw CancellationError() }
        }
        let (manager, _) = try stubManager(TestRegistry.make().replacing("json", with: Resigned())) { _ in .json("1") }
        let error = await #expect(throws: SessionError.self) { try await manager.send("a") }
        #expect(error?.code == .cancelled)
    }

    @Test("each of 500 calls cancelled at different points completes exactly once")
    func storm() async throws {
        let (manager, _) = try stubManager { request in
            StubReply(
                fields: ["Content-Type": "application/json"], body: "1",
                delay: .microseconds((Int(request.head.url.lastPathComponent) ?? 0) % 7 * 300))
        }
        let counts = await withTaskGroup(of: SessionError.Code?.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let call = Task { try await manager.get("\(index)", as: Int.self) }
                    if index % 3 != 0 {
                        for _ in 0..<(index % 11) { await Task.yield() }
                        call.cancel()
                    }
                    do {
                        _ = try await call.value
                        return nil
                    } catch {
                        return (error as? SessionError)?.code
                    }
                }
            }
            return await group.reduce(into: [:]) { counts, code in counts[code, default: 0] += 1 }
        }
        #expect(counts.values.reduce(0, +) == 500)
        #expect(Set(counts.keys).isSubset(of: [nil, .cancelled]))
        #expect(counts[nil, default: 0] >= 167)
        #expect(manager.taskList.timeoutCount == 0)
    }

    @Test("1.7.10: what is awaited ends with the task that awaits it; a made task ends only when it is told to")
    func cancellation() async throws {
        let started = OneShot()
        let gate = OneShot()
        let (manager, _) = try stubManager { request in
            started.fire()
            await gate.fired()
            return .json("1")
        }
        let made = manager.held(SessionRequest("made"), as: Int.self).begin()
        let waiter = Task { try await made.reply }
        let awaited = Task { try await manager.get("awaited", as: Int.self) }
        await started.fired()
        waiter.cancel()
        awaited.cancel()
        let error = await #expect(throws: SessionError.self) { try await awaited.value }
        #expect(error?.code == .cancelled)
        gate.fire()
        #expect(try await made.reply.value == 1)
        #expect(try await waiter.value.value == 1)
    }
}
