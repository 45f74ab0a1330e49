import Foundation
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(5))) struct SessionTaskTests {
    @Test("1.6.3: a task that is made does not start before it is resumed, and keeps the registry of its making")
    func unstarted() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        let call = manager.held(SessionRequest("a"), as: [Int].self)
        let digest = manager.registry.digest
        manager.registry = try TestRegistry.make("[]")
        #expect(call.task.state == .suspended)
        #expect(manager.tasks.map(\.id) == [call.task.id])
        #expect(stub.requests.isEmpty)
        let reply = try await call.begin().reply
        #expect(reply.value == [1])
        #expect(reply.decision.registryDigest == digest)
        #expect(call.task.state == .finished)
        #expect(manager.tasks.isEmpty)
        #expect(try await call.reply.value == [1])
        #expect(stub.requests.count == 1)
    }

    @Test("1.7.3: a task that is cancelled ends as cancelled, before its start and after it")
    func cancelled() async throws {
        let started = OneShot()
        let (manager, stub) = try stubManager { _ in
            started.fire()
            return StubReply(delay: .seconds(3600))
        }
        let early = manager.held(SessionRequest("a"))
        early.cancel()
        early.begin()
        #expect(await #expect(throws: SessionError.self) { try await early.reply }?.code == .cancelled)
        #expect(early.task.state == .cancelled)
        #expect(stub.requests.isEmpty)

        let late = manager.held(SessionRequest("a")).begin()
        await started.fired()
        late.cancel()
        #expect(await #expect(throws: SessionError.self) { try await late.reply }?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("1.5.17, 1.7.8: the manager lists the tasks that have not ended, and cancels them all")
    func list() async throws {
        let (manager, stub) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
        let calls = (0..<3).map { manager.held(SessionRequest("\($0)")).begin() }
        async let awaited: Void = {
            let error = await #expect(throws: SessionError.self) { try await manager.send("awaited") }
            #expect(error?.code == .cancelled)
        }()
        while stub.requests.count < 4 { await Task.yield() }
        #expect(manager.tasks.count == 4)
        #expect(manager.tasks.prefix(3).map(\.id) == calls.map(\.task.id))
        manager.cancelAll()
        for call in calls {
            #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .cancelled)
        }
        await awaited
        #expect(manager.tasks.isEmpty)
    }

    @Test("1.7.2: a call that is suspended is held before it starts and before its next step, until it is resumed")
    func suspended() async throws {
        let started = OneShot()
        let gate = OneShot()
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let (manager, stub) = try stubManager(configuration: configuration) { request in
            guard request.head.url.path() == "/a" else { return .json("1") }
            started.fire()
            await gate.fired()
            return .redirect(302, to: "/b")
        }
        let call = manager.held(SessionRequest("a"), as: Int.self)
        call.task.hold()
        #expect(call.task.state == .suspended)
        await settle()
        #expect(stub.requests.isEmpty)
        call.begin()
        await started.fired()
        call.task.hold()
        gate.fire()
        while log.lines(of: call.task.id).last != "redirected 302 /b" { await Task.yield() }
        await settle()
        #expect(stub.requests.count == 1)
        #expect(call.task.state == .suspended)
        call.begin()
        #expect(try await call.reply.value == 1)
        #expect(stub.requests.count == 2)
    }

    @Test("1.7.2: a call that is suspended under way makes its value when it is resumed, and not before")
    func resumed() async throws {
        let started = OneShot()
        let gate = OneShot()
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let (manager, _) = try stubManager(configuration: configuration) { _ in
            started.fire()
            await gate.fired()
            return .json("1")
        }
        let call = manager.held(SessionRequest("a"), as: Int.self).begin()
        await started.fired()
        call.task.hold()
        gate.fire()
        while log.lines(of: call.task.id).last != "received 1" { await Task.yield() }
        await settle()
        #expect(log.lines(of: call.task.id).last == "received 1")
        #expect(call.task.state == .suspended)
        call.begin()
        #expect(try await call.reply.value == 1)
        #expect(call.task.state == .finished)
    }

    @Test("1.7.2: a call that is cancelled while it is suspended ends at once", arguments: [true, false])
    func cancelledWhileSuspended(isStarted: Bool) async throws {
        let (started, suspended) = (OneShot(), OneShot())
        let (manager, stub) = try stubManager { _ in
            started.fire()
            await suspended.fired()
            return .redirect(302, to: "/b")
        }
        let call = manager.held(SessionRequest("a"))
        if isStarted {
            call.begin()
            await started.fired()
        }
        call.task.hold()
        suspended.fire()
        await settle()
        call.cancel()
        #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .cancelled)
        #expect(stub.requests.count <= 1)
    }

    @Test("1.7.3: a call that is cancelled while its value is made ends as cancelled, and its state says so")
    func cancelledLate() async throws {
        struct Late: ResponseSerializer {
            let cancel: Shared<(@Sendable () -> Void)?>
            func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int {
                cancel.withLock { $0 }?()
                return 1
            }
        }
        let cancel = Shared<(@Sendable () -> Void)?>(nil)
        let registry = try TestRegistry.make().replacing("json", with: Late(cancel: cancel))
        for status in [200, 500] {
            let (manager, _) = try stubManager(registry) { _ in .json("1", status: status) }
            let call = manager.held(SessionRequest("a"))
            cancel.withLock { $0 = { call.cancel() } }
            let error = await #expect(throws: SessionError.self) { try await call.begin().reply }
            #expect(error?.description == "GET origin.test/a: the call was cancelled")
            #expect(error?.head?.status == status)
            #expect(call.task.state == .cancelled)
        }
    }

    @Test(
        "1.5.18: a manager that is invalidated takes no call, and its tasks end or are cancelled",
        arguments: [true, false])
    func invalidated(cancelling: Bool) async throws {
        let log = EventLog()
        var configuration = SessionConfiguration()
        configuration.observers = [log]
        let gate = OneShot()
        let (manager, stub) = try stubManager(configuration: configuration) { _ in
            await gate.fired()
            return .json("1")
        }
        let call = manager.held(SessionRequest("a"), as: Int.self).begin()
        for _ in 0..<2 { manager.invalidate(cancellingTasks: cancelling) }
        let error = await #expect(throws: SessionError.self) { try await manager.send("late") }
        #expect(error?.code == .invalidated)
        #expect(
            error?.description
                == "the request was not sent: the session manager was invalidated before the call was made")
        // Never resumed, and over nevertheless.
        let late = manager.held(SessionRequest("later"))
        #expect(await #expect(throws: SessionError.self) { try await late.reply }?.code == .invalidated)
        gate.fire()
        if cancelling {
            #expect(await #expect(throws: SessionError.self) { try await call.reply }?.code == .cancelled)
        } else {
            #expect(try await call.reply.value == 1)
        }
        await log.hears(ends: 4)
        #expect(log.lines(of: 0) == ["invalidated"])
        #expect(stub.requests.allSatisfy { $0.head.url.path() == "/a" })
        #expect(manager.tasks.isEmpty)
    }

    @Test("1.5.18: where the manager is to be used again, cancelling all is enough")
    func reset() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let call = manager.held(SessionRequest("a"))
        manager.cancelAll()
        _ = await #expect(throws: SessionError.self) { try await call.reply }
        #expect(try await manager.get("a", as: Int.self) == 1)
    }

    @Test("1.5.24, 1.7.8: a call keeps its manager, started or not, so that none fails by its end; nothing else does")
    func keepsManager() async throws {
        var manager: SessionManager?
        weak var watched: SessionManager?
        manager = try stubManager { _ in .json("1") }.0
        watched = manager
        let held = try #require(manager?.held(SessionRequest("a"), as: Int.self))
        let running = try #require(manager?.held(SessionRequest("a"), as: Int.self)).begin()
        manager = nil
        #expect(try await running.reply.value == 1)
        #expect(try await held.begin().reply.value == 1)
        while watched != nil { await Task.yield() }
    }

    @Test("1.5.25: a label is set on every task of the manager, and on each")
    func label() throws {
        var configuration = SessionConfiguration()
        configuration.taskLabel = "sync"
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let call = manager.held(SessionRequest("a"))
        #expect(call.task.label == "sync")
        call.task.label = "first"
        #expect(call.task.label == "first")
        call.cancel()
    }

    @Test("1.7.2: a task changes its state only in the ways that there are")
    func transitions() {
        let allowed: [SessionTask.State: Set<SessionTask.State>] = [
            .running: [.suspended, .cancelled, .finished],
            .suspended: [.running, .cancelled, .finished],
            .cancelled: [], .finished: [],
        ]
        for (state, next) in allowed {
            #expect(Set(allowed.keys.filter(state.canBecome)) == next, "from \(state)")
        }
    }
}
