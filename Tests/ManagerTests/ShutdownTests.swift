import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The end of a manager that lets its calls end. The clock is the `sleep` of the configuration.
@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
    /// A manager whose answers wait for `answer`, and whose clock stands still until `time` fires.
    private struct Fixture {
        let started = OneShot()
        let answer = OneShot()
        let time = OneShot()
        let slept = Shared<[Duration]>([])
        let log = EventLog()
        let manager: SessionManager
        let stub: StubTransport

        init(_ reply: StubReply = .json("1")) throws {
            var configuration = SessionConfiguration()
            configuration.observers = [log]
            configuration.sleep = { [slept, time] duration in
                slept.withLock { $0.append(duration) }
                // Ends by cancellation, like the sleep of a clock.
                let stop = OneShot()
                await withTaskCancellationHandler {
                    await time.fired(unless: stop)
                } onCancel: {
                    stop.fire()
                }
            }
            (manager, stub) = try stubManager(configuration: configuration) { [started, answer] _ in
                started.fire()
                await answer.fired()
                return reply
            }
        }
    }

    @Test("it waits for the calls that run, takes no new one, and returns when they have ended")
    func waits() async throws {
        let fixture = try Fixture()
        let (manager, isDown) = (fixture.manager, Shared(false))
        let call = Task { try await manager.get("a", as: Int.self) }
        await fixture.started.fired()
        let shutdown = Task {
            await manager.shutdown(within: .seconds(7))
            isDown.withLock { $0 = true }
        }
        try await until { fixture.slept.withLock { $0 } == [.seconds(7)] }
        let late = await #expect(throws: SessionError.self) { try await manager.get("late", as: Int.self) }
        #expect(late?.code == .invalidated)
        await settle()
        #expect(!isDown.withLock { $0 })
        fixture.answer.fire()
        await shutdown.value
        #expect(manager.tasks.isEmpty)
        #expect(try await call.value == 1)
        #expect(fixture.stub.requests.count == 1)
        await fixture.log.hears(ends: 3)
        #expect(fixture.log.lines(of: 0) == ["invalidated"])
    }

    @Test("when the time is over, it cancels the calls that have not ended", arguments: [1, 3])
    func time(_ count: Int) async throws {
        let fixture = try Fixture()
        let manager = fixture.manager
        let calls = (0..<count).map { _ in Task { try await manager.get("a", as: Int.self) } }
        try await until { fixture.stub.requests.count == count }
        let shutdown = Task { await manager.shutdown(within: .seconds(7)) }
        try await until { !fixture.slept.withLock(\.isEmpty) }
        fixture.time.fire()
        await shutdown.value
        #expect(manager.tasks.isEmpty)
        for call in calls {
            #expect(await #expect(throws: SessionError.self) { try await call.value }?.code == .cancelled)
        }
    }

    @Test("when its own task is cancelled, it waits no longer")
    func cancelled() async throws {
        let fixture = try Fixture()
        let manager = fixture.manager
        let call = Task { try await manager.get("a", as: Int.self) }
        await fixture.started.fired()
        let shutdown = Task { await manager.shutdown(within: .seconds(Int64.max)) }
        try await until { !fixture.slept.withLock(\.isEmpty) }
        shutdown.cancel()
        await shutdown.value
        #expect(manager.tasks.isEmpty)
        #expect(await #expect(throws: SessionError.self) { try await call.value }?.code == .cancelled)
    }

    @Test("a call that does not end by its cancellation is left alone after a second")
    func deaf() async throws {
        let (begun, release) = (OneShot(), OneShot())
        var configuration = SessionConfiguration()
        configuration.sleep = { _ in }
        let transport = PlayedTransport { _, _, _ throws(TransportFailure) in
            begun.fire()
            await release.fired()
            throw TransportFailure(.stopped, "the exchange was stopped")
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: configuration)
        let call = Task { try await manager.get("a", as: Int.self) }
        await begun.fired()
        await manager.shutdown(within: .seconds(7))
        #expect(manager.tasks.count == 1)
        release.fire()
        #expect(await #expect(throws: SessionError.self) { try await call.value }?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("without calls it returns at once, also a second time, and behind an invalidation that lets calls end")
    func repeated() async throws {
        let idle = try Fixture()
        for _ in 0..<2 { await idle.manager.shutdown() }
        #expect(idle.manager.tasks.isEmpty)

        let fixture = try Fixture()
        let manager = fixture.manager
        let call = Task { try await manager.get("a", as: Int.self) }
        await fixture.started.fired()
        manager.invalidate(cancellingTasks: false)
        let waits = [Task { await manager.shutdown(within: .seconds(7)) }, Task { await manager.shutdown() }]
        try await until { fixture.slept.withLock(\.count) == 2 }
        #expect(Set(fixture.slept.withLock { $0 }) == [.seconds(7), .seconds(30)])
        fixture.answer.fire()
        for wait in waits { await wait.value }
        #expect(try await call.value == 1)
    }

    @Test("a task that was never resumed, and a stream that nobody reads, are cancelled at the end of the time")
    func held() async throws {
        let fixture = try Fixture(StubReply(fields: ["Content-Type": "text/words"], body: "a b"))
        let manager = fixture.manager
        let held = manager.held(SessionRequest("held"), as: Int.self)
        fixture.answer.fire()
        let stream = try await manager.stream("words", of: Data.self)
        let shutdown = Task { await manager.shutdown(within: .seconds(7)) }
        try await until { !fixture.slept.withLock(\.isEmpty) }
        fixture.time.fire()
        await shutdown.value
        #expect(await #expect(throws: SessionError.self) { try await held.reply }?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
        withExtendedLifetime(stream) {}
    }

    @Test(
        "a time of none, and one below it, cancel at once",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func none(_ limit: Duration) async throws {
        let started = OneShot()
        let (manager, _) = try stubManager { _ in
            started.fire()
            return StubReply(delay: .seconds(3_600))
        }
        let call = Task { try await manager.get("a", as: Int.self) }
        await started.fired()
        await manager.shutdown(within: limit)
        #expect(await #expect(throws: SessionError.self) { try await call.value }?.code == .cancelled)
    }

    @Test("`invalidate` cancels the calls that run, and waits for nothing; without cancelling, they run to their end")
    func invalidate() async throws {
        for cancels in [true, false] {
            let fixture = try Fixture()
            let manager = fixture.manager
            let call = Task { try await manager.get("a", as: Int.self) }
            await fixture.started.fired()
            if cancels { manager.invalidate() } else { manager.invalidate(cancellingTasks: false) }
            fixture.answer.fire()
            if cancels {
                #expect(await #expect(throws: SessionError.self) { try await call.value }?.code == .cancelled)
            } else {
                #expect(try await call.value == 1)
            }
        }
    }
}
