import Dispatch
import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// Redirect handlers that block all threads there are for them.
@Suite(.timeLimit(.minutes(5))) struct BlockedHandlerTests {
    @Test("1.12.1: the timeouts of a call run while it waits for others to leave the threads of redirect handlers")
    func waiting() async throws {
        // Eight handlers block all threads; the ninth call waits for one.
        let (begun, all, ninth) = (Shared(0), OneShot(), OneShot())
        let stop = Shared<OneShot?>(nil)
        let answer = DispatchGroup()
        answer.enter()
        let transport = PlayedTransport { number, _, receiver throws(TransportFailure) in
            func head() -> TransportFlow { receiver.receive(status: 302, fields: ["Location": "/end"]) }
            guard number <= 9 else {
                _ = receiver.receive(status: 204, fields: [:])
                return
            }
            guard case .wait(let signal) = head() else { throw TransportFailure(.other, "no handler was asked") }
            if number == 9 {
                stop.withLock { $0 = receiver.stop }
                ninth.fire()
            }
            await signal.fired(unless: receiver.stop)
            // Offered again behind the end of its call, the head is refused: nobody is asked.
            if receiver.stop.hasFired {
                let isRefused = if case .stop = head() { true } else { false }
                #expect(isRefused)
            }
            guard !receiver.stop.hasFired, case .proceed = head() else {
                throw TransportFailure(.stopped, "the exchange was stopped")
            }
        }
        var configuration = SessionConfiguration()
        (configuration.idleTimeout, configuration.totalTimeout) = (.seconds(600), nil)
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: configuration)
        var request = SessionRequest("start")
        request.redirects = RedirectHandler { _, _ in
            let count = begun.withLock { count in
                count += 1
                return count
            }
            if count == 8 { all.fire() }
            answer.wait()
            return true
        }
        let asking = request
        let calls = (0..<8).map { _ in Task { try await manager.send(asking, as: Void.self) } }
        await all.fired()
        let last = Task { try await manager.send(asking, as: Void.self) }
        await ninth.fired()
        manager.taskList.check(at: .now + .seconds(3_600))
        #expect(stop.withLock { $0 }?.hasFired == true)
        answer.leave()
        for call in calls { #expect(try await call.value.head.status == 204) }
        _ = await last.result
    }

    @Test("a head that is offered again while its handler is asked waits for the same answer")
    func offeredAgain() async throws {
        let (asked, waiting) = (Shared(0), OneShot())
        let answer = DispatchGroup()
        answer.enter()
        let transport = PlayedTransport { number, _, receiver throws(TransportFailure) in
            func head() -> TransportFlow {
                receiver.receive(status: 302, fields: ["Location": "/end"])
            }
            guard number == 1 else {
                _ = receiver.receive(status: 204, fields: [:])
                return
            }
            // As libcurl offers it when the body of the request goes on.
            for _ in 0..<3 {
                guard case .wait = head() else { throw TransportFailure(.other, "the head was taken") }
            }
            guard case .wait(let signal) = head() else { throw TransportFailure(.other, "the head was taken") }
            waiting.fire()
            await signal.fired(unless: receiver.stop)
            guard case .proceed = head() else { throw TransportFailure(.other, "the answer was not there") }
        }
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport)
        var request = SessionRequest("start")
        request.redirects = RedirectHandler { _, _ in
            asked.withLock { $0 += 1 }
            answer.wait()
            return true
        }
        let asking = request
        let call = Task { try await manager.send(asking, as: Void.self) }
        await waiting.fired()
        answer.leave()
        _ = try await call.value
        #expect(asked.withLock { $0 } == 1)
    }
}
