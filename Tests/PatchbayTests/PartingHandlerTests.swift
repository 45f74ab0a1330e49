import Foundation
import Patchbay
import PatchbayMigration
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

/// Objects in the closures of calls over the network, which use the manager when they go, in child processes.
@Suite("A completion handler may hold what uses the manager when it goes", .timeLimit(.minutes(5)))
struct PartingHandlerTests {
    private final class Parting: Sendable {
        static let gone = Guarded(0)
        private let use: @Sendable () -> Void

        init(_ manager: SessionManager) {
            use = { [weak manager] in
                guard let manager else { return }
                for task in manager.tasks { task.label = "seen" }
                manager.task(SessionRequest("/parting")).resume().cancel()
                manager.setHeader("1", for: "X-Parting")
            }
        }

        deinit {
            #if DEBUG
                precondition(HeldLocks.count == 0, "an object of the caller's is let go of with a lock held")
            #endif
            use()
            Self.gone.withLock { $0 += 1 }
        }

        func isCalled() {}
    }

    /// Says nothing before its gate is open.
    private final class Still: SessionObserver {
        let gate = OneShot()
        func observe(_ event: SessionEvent) async { await gate.fired() }
    }

    @Test("Those of verbs and of tasks, with observers that are behind")
    func handlers() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer(always: .response(["Content-Type": "application/json"], body: "[1]"))
            let still = Still()
            var configuration = SessionConfiguration()
            configuration.observers = [still]
            configuration.maximumWaitingEvents = 1
            let manager = SessionManager(baseURL: server.url(), configuration: configuration)
            let queue = DispatchQueue(label: "handlers")
            for _ in 0..<10 {
                let one = Parting(manager)
                let two = Parting(manager)
                let three = Parting(manager)
                let four = Parting(manager)
                let group = DispatchGroup()
                manager.get(
                    "a", as: [Int].self, on: queue, group: group, downloadProgress: { _ in two.isCalled() },
                    success: { _ in one.isCalled() }, failure: { _ in one.isCalled() })
                var request = SessionRequest("a", body: "abc")
                request.responseValidators = [ResponseValidator { _, _ in four.isCalled() }]
                manager.task(request).whenDone(on: queue, group: group) { _ in three.isCalled() }.resume()
                await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
            }
            // The last of them wait with the observer.
            while Parting.gone.withLock({ $0 }) < 36 {
                manager.task(SessionRequest("a")).cancel()
                await Task.yield()
            }
            still.gate.fire()
        }
    }
}
