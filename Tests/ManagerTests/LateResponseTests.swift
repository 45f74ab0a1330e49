import Foundation
import PatchbayPlatform
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

/// A timeout that runs out behind a response that is whole.
@Suite struct LateResponseTests {
    @Test("behind a forgiven idle timeout the total timeout goes on")
    func idle() {
        let timeouts = Timeouts(idle: .seconds(1), total: .seconds(100))
        timeouts.check(.now + .seconds(10))
        guard case .idle = timeouts.ended else { return #expect(Bool(false), "the idle timeout has run out") }
        _ = timeouts.endExchange(isAnswered: true, isComplete: true, leftBody: true)
        #expect(timeouts.ended == nil)
        #expect(timeouts.deadline != nil)
        timeouts.check(.now + .seconds(200))
        guard case .total = timeouts.ended else { return #expect(Bool(false), "the total timeout has run out") }
    }

    @Test("a forgiven total timeout counts again once there is no value")
    func total() {
        let timeouts = Timeouts(idle: .seconds(1_000), total: .seconds(100))
        timeouts.check(.now + .seconds(200))
        _ = timeouts.endExchange(isAnswered: true, isComplete: true, leftBody: true)
        #expect(timeouts.ended == nil)
        #expect(timeouts.deadline == nil)
        timeouts.check(.now + .seconds(300))
        #expect(timeouts.ended == nil)
        timeouts.endAttempt(.now + .seconds(300))
        guard case .total = timeouts.ended else { return #expect(Bool(false), "the total timeout has run out") }
    }

    @Test("an attempt whose limit passed behind a whole response is over, but not a call out of its total time")
    func wholeInTime() {
        let attempt = Timeouts(idle: nil, total: nil)
        attempt.beginAttempt(.zero)
        attempt.check()
        #expect(attempt.endExchange(isAnswered: false, isComplete: true, leftBody: false).ended == nil)
        attempt.check()
        #expect(attempt.ended == nil)
        let total = Timeouts(idle: nil, total: .zero)
        total.check()
        _ = total.endExchange(isAnswered: true, isComplete: true, leftBody: false)
        guard case .total = total.ended else { return #expect(Bool(false), "the total timeout has run out") }
    }

    @Test("a response that came whole before the idle timeout is the value of the call", arguments: [false, true])
    func idleBehindResponse(isDownload: Bool) async throws {
        let transport = PlayedTransport { _, _, receiver throws(TransportFailure) in
            _ = receiver.receive(status: 200, fields: ["Content-Type": "text/plain"])
            receiver.receive(count: 3)
            // The task of the call goes on only when the idle timeout has passed.
            await receiver.stop.fired()
        }
        var configuration = SessionConfiguration()
        configuration.idleTimeout = .milliseconds(50)
        let manager = SessionManager(
            baseURL: URL(string: "http://origin.test/"), registry: try TestRegistry.make(), transport: transport,
            configuration: configuration)
        if isDownload {
            let folder = TemporaryFolder()
            let file = try await manager.download("a", to: .file(folder.url.appending(path: "x"))).value
            #expect(try Data(contentsOf: file).count == 3)
        } else {
            #expect(try await manager.send("a", as: Data.self).body.count == 3)
        }
    }
}
