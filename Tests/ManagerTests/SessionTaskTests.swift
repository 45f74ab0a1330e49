import PatchbayRegistry
import Testing

@testable import PatchbayManager

@Suite(.timeLimit(.minutes(1))) struct SessionTaskTests {
    @Test("1.6.3: a task that is made does not start before it is resumed, and keeps the registry of its making")
    func unstarted() async throws {
        let (manager, stub) = try stubManager { _ in .json("[1]") }
        let call = manager.task(HTTPRequest("GET", "a"), as: [Int].self)
        let digest = manager.registry.digest
        manager.registry = try TestRegistry.make("[]")
        #expect(call.task.state == .initialized)
        #expect(manager.tasks.map(\.id) == [call.task.id])
        #expect(stub.requests.isEmpty)
        let reply = try await call.resume().reply
        #expect(reply.value == [1])
        #expect(reply.registryDigest == digest)
        #expect(call.task.state == .finished)
        #expect(manager.tasks.isEmpty)
        #expect(try await call.reply.value == [1])
        #expect(stub.requests.count == 1)
    }

    @Test("1.7.3: a task that is cancelled ends as cancelled, before its start and after it")
    func cancelled() async throws {
        let started = Signal()
        let (manager, stub) = try stubManager { _ in
            started.fire()
            return StubReply(delay: .seconds(3600))
        }
        let early = manager.task(HTTPRequest("GET", "a"))
        early.cancel()
        early.resume()
        #expect(await #expect(throws: SessionError.self) { try await early.reply }?.code == .cancelled)
        #expect(early.task.state == .cancelled)
        #expect(stub.requests.isEmpty)

        let late = manager.task(HTTPRequest("GET", "a")).resume()
        await started.fired()
        late.cancel()
        #expect(await #expect(throws: SessionError.self) { try await late.reply }?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("1.5.17, 1.7.8: the manager lists the tasks that have not ended, and cancels them all")
    func list() async throws {
        let (manager, stub) = try stubManager { _ in StubReply(delay: .seconds(3600)) }
        let calls = (0..<3).map { manager.task(HTTPRequest("GET", "\($0)")).resume() }
        async let awaited: Void = {
            let error = await #expect(throws: SessionError.self) { try await manager.get("awaited") }
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

    @Test("1.5.25: a label is set on every task of the manager, and on each")
    func label() throws {
        var configuration = SessionConfiguration()
        configuration.taskLabel = "sync"
        let (manager, _) = try stubManager(configuration: configuration) { _ in .json("1") }
        let call = manager.task(HTTPRequest("GET", "a"))
        #expect(call.task.label == "sync")
        call.task.label = "first"
        #expect(call.task.label == "first")
        call.cancel()
    }

    @Test("1.7.2: a task changes its state only in the ways that there are")
    func transitions() {
        let allowed: [SessionTask.State: Set<SessionTask.State>] = [
            .initialized: [.running, .suspended, .cancelled, .finished],
            .running: [.suspended, .cancelled, .finished],
            .suspended: [.running, .cancelled, .finished],
            .cancelled: [], .finished: [],
        ]
        for (state, next) in allowed {
            #expect(Set(SessionTask.State.allCases.filter(state.canBecome)) == next, "from \(state)")
        }
    }
}
