import Dispatch
import Foundation
import PatchbayManager
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// An actor whose jobs run on a queue of its own, so that synchronous code can tell whether it runs there.
private actor Place {
    private final class Executor: SerialExecutor {
        static let key = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "place")

        init() { queue.setSpecific(key: Self.key, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
            queue.async { job.runSynchronously(on: executor) }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether the caller's code runs on such an actor.
    static var isHere: Bool { DispatchQueue.getSpecific(key: Executor.key) == true }

    /// Posts a body, and says whether it is back on the actor afterwards.
    func post(_ manager: SessionManager, _ body: Watched) async -> (SessionError.Code?, isBack: Bool) {
        do throws(SessionError) {
            try await manager.post("a", body: body)
            return (nil, Self.isHere)
        } catch {
            return (error.code, Self.isHere)
        }
    }
}

/// A value that notes where it encodes itself.
private struct Watched: Encodable, Sendable {
    struct Fault: Error {}
    var fails = false
    /// Whether it was on the actor of the caller, or on the main thread.
    let places = Shared<[Bool]>([])

    func encode(to encoder: any Encoder) throws {
        places.withLock { $0.append(Place.isHere || Thread.isMainThread) }
        var container = encoder.singleValueContainer()
        try container.encode(1)
        if fails { throw Fault() }
    }
}

@Suite("Writing inside the call", .timeLimit(.minutes(5))) struct WritingCallTests {
    @Test("a value is not written on its caller's actor, which gets its reply or its error", arguments: [false, true])
    func actor(_ fails: Bool) async throws {
        let (manager, stub) = try stubManager { _ in .json("1") }
        let body = Watched(fails: fails)
        let (code, isBack) = await Place().post(manager, body)
        #expect(code == (fails ? .writing : nil))
        #expect(isBack)
        #expect(body.places.withLock { $0 } == [false])
        #expect(stub.requests.count == (fails ? 0 : 1))
    }

    @Test("nor on the main actor") @MainActor
    func mainActor() async throws {
        let (manager, _) = try stubManager { _ in .json("1") }
        let body = Watched()
        try await manager.post("a", body: body)
        MainActor.assertIsolated()
        #expect(body.places.withLock { $0 } == [false])
    }

    /// Does something while it is written, and may throw then.
    private struct Acting: RequestSerializer {
        var error: (any Error)?
        let act: @Sendable () -> Void

        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            act()
            if let error { throw error }
            return Data("[]".utf8)
        }
    }

    @Test(
        "a call that is cancelled while its writer runs ends as cancelled, whatever the writer does",
        arguments: [nil, TestRegistry.Shout()] as [TestRegistry.Shout?])
    func cancelled(_ error: TestRegistry.Shout?) async throws {
        let cancel = Shared<(@Sendable () -> Void)?>(nil)
        let acting = Acting(error: error) {
            cancel.withLock { $0 }?()
            #expect(Task.isCancelled)
        }
        let (manager, stub) = try stubManager(TestRegistry.make().replacing("json", with: acting)) { _ in .json("1") }
        let known = OneShot()
        let call = Task {
            await known.fired()
            try await manager.post("a", body: [1])
        }
        cancel.withLock { $0 = { call.cancel() } }
        known.fire()
        let failure = await #expect(throws: SessionError.self) { try await call.value }
        #expect(failure?.code == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    @Test("a writer that says it was cancelled has failed, where nobody cancelled the call")
    func saidByWriter() async throws {
        let acting = Acting(error: CancellationError()) {}
        let (manager, stub) = try stubManager(TestRegistry.make().replacing("json", with: acting)) { _ in .json("1") }
        let failure = await #expect(throws: SessionError.self) { try await manager.post("a", body: [1]) }
        #expect(failure?.code == .writing)
        #expect(failure?.cause is CancellationError)
        #expect(stub.requests.isEmpty)
    }

    @Test("a value and a writer may use the manager while they write")
    func reentrant() async throws {
        let managers = Shared<SessionManager?>(nil)
        let acting = Acting {
            guard let manager = managers.withLock({ $0 }) else { return }
            manager.setHeader("1", for: "X-Written")
            manager.registry = manager.registry
            for task in manager.tasks { task.label = "writing" }
        }
        let (manager, stub) = try stubManager(TestRegistry.make().replacing("json", with: acting)) { _ in .json("1") }
        managers.withLock { $0 = manager }
        try await manager.post("a", body: [1])
        try await manager.post("a", body: [1])
        #expect(stub.requests.map { $0.head.fields["X-Written"] } == [nil, "1"])
        managers.withLock { $0 = nil }
    }
}
