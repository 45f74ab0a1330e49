import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Code of the caller that blocks the thread on which its Swift task is cancelled.
@Suite(.timeLimit(.minutes(5))) struct SlowCancellationTests {
    /// Blocks whoever cancels its task, until another call has ended.
    private struct Blocking: Sendable {
        let other = DispatchSemaphore(value: 0)
        let begun = OneShot()
        let released = OneShot()
        /// Whether the other call ended meanwhile.
        let hasEnded = Shared<Bool?>(nil)

        /// Its task sleeps meanwhile, because the runtime would block a task that goes on, too.
        func wait() async {
            await withTaskCancellationHandler {
                await released.fired()
            } onCancel: {
                begun.fire()
                let end = other.wait(timeout: .now() + 20)
                hasEnded.withLock { $0 = end == .success }
            }
        }
    }

    /// Its exchanges answer only when they are stopped.
    private static let silent = PlayedTransport { _, _, receiver throws(TransportFailure) in
        await receiver.stop.fired()
        throw TransportFailure(.stopped, "the exchange was stopped")
    }

    private static func code(of request: SessionRequest, _ manager: SessionManager) async -> SessionError.Code? {
        do throws(SessionError) {
            _ = try await manager.send(request, as: Data.self)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a slow cancellation handler of an interceptor holds up the timeouts of no other call")
    func interceptor() async throws {
        let blocking = Blocking()
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: Self.silent)
        var slow = SessionRequest("slow")
        slow.interceptors = [
            MadeInterceptor(adapt: { request in
                await blocking.wait()
                return request
            })
        ]
        slow.totalTimeout = .milliseconds(100)
        #expect(await Self.code(of: slow, manager) == .totalTimeout)
        await blocking.begun.fired()
        var other = SessionRequest("other")
        other.totalTimeout = .milliseconds(200)
        #expect(await Self.code(of: other, manager) == .totalTimeout)
        blocking.other.signal()
        try await until { blocking.hasEnded.withLock { $0 != nil } }
        #expect(blocking.hasEnded.withLock { $0 } == true)
        blocking.released.fire()
    }
}
