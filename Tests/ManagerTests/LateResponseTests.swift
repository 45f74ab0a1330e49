import PatchbayPlatform
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
}
