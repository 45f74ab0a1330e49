import PatchbayPlatform
import TestSupport
import Testing

@testable import PatchbayManager

/// Which timeouts count in which part of a call.
@Suite struct TimeoutPhaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let phase: Timeouts.Phase
        /// The limits in seconds; the others are an hour.
        var idle = 3_600.0
        var attempt = 3_600.0
        var body: Double?
        var total = 3_600.0
        /// The timeout that has passed after 100 seconds.
        let passed: String?
    }

    private static let rows = [
        Row(testDescription: "idle while bytes are expected", phase: .exchanging, idle: 10, passed: "idle"),
        Row(testDescription: "idle while an interceptor works", phase: .working, idle: 10, passed: nil),
        Row(testDescription: "idle behind the response", phase: .answered, idle: 10, passed: nil),
        Row(testDescription: "attempt while bytes are expected", phase: .exchanging, attempt: 10, passed: "attempt"),
        Row(testDescription: "attempt while a signer works", phase: .working, attempt: 10, passed: "attempt"),
        Row(testDescription: "attempt behind the response", phase: .answered, attempt: 10, passed: nil),
        Row(testDescription: "body while bytes are expected", phase: .exchanging, body: 10, passed: "body"),
        Row(testDescription: "body and idle together", phase: .exchanging, idle: 10, body: 10, passed: "body"),
        Row(testDescription: "body behind the response", phase: .answered, body: 10, passed: nil),
        Row(testDescription: "total while bytes are expected", phase: .exchanging, total: 10, passed: "total"),
        Row(testDescription: "total while an interceptor works", phase: .working, total: 10, passed: "total"),
        Row(testDescription: "total behind the response", phase: .answered, total: 10, passed: "total"),
        Row(testDescription: "total behind a late response", phase: .late, total: 10, passed: nil),
        Row(
            testDescription: "total before all others", phase: .exchanging, idle: 10, body: 10, total: 10,
            passed: "total"),
    ]

    private static func name(_ end: Timeouts.End?) -> String? {
        switch end {
        case .idle: "idle"
        case .attempt: "attempt"
        case .total: "total"
        case .body: "body"
        case .cancelled: "cancelled"
        case .unconnected: "unconnected"
        case nil: nil
        }
    }

    @Test("the timeout that passes, and whether the timer watches it", arguments: rows)
    func passing(_ row: Row) {
        let timeouts = Timeouts(idle: .seconds(row.idle), total: .seconds(row.total))
        timeouts.beginAttempt(.seconds(row.attempt))
        _ = timeouts.beginStep(row.phase)
        if let body = row.body { _ = timeouts.limitBody(.seconds(body)) }
        let isWatched = timeouts.deadline.map { $0 < .now + .seconds(100) } ?? false
        #expect(isWatched == (row.passed != nil))
        timeouts.check(.now + .seconds(100))
        #expect(Self.name(timeouts.ended) == row.passed)
        #expect(timeouts.stop.hasFired == (row.passed != nil))
    }

    @Test("the limit of a body does not run while the call is suspended")
    func suspended() {
        let rest = Shared<Moment?>(nil)
        let timeouts = Timeouts(idle: nil, total: nil) { rest.withLock { $0 } }
        _ = timeouts.limitBody(.seconds(10))
        rest.withLock { $0 = .now + .seconds(100) }
        timeouts.check(.now + .seconds(105))
        #expect(timeouts.ended == nil)
        timeouts.check(.now + .seconds(111))
        #expect(Self.name(timeouts.ended) == "body")
    }

    @Test("without an idle timeout, the body of an error has no limit")
    func noIdleTimeout() {
        let timeouts = Timeouts(idle: nil, total: nil)
        #expect(timeouts.limitBody(nil) == nil)
        timeouts.check(.now + .seconds(1_000_000))
        #expect(timeouts.ended == nil)
    }

    @Test("behind a body that was left, the call goes on with another signal")
    func leftBody() {
        let timeouts = Timeouts(idle: .seconds(10), total: .seconds(1_000))
        _ = timeouts.limitBody(nil)
        let stop = timeouts.stop
        timeouts.check(.now + .seconds(10))
        #expect(stop.hasFired)
        #expect(Self.name(timeouts.endExchange(isAnswered: true, isComplete: false, leftBody: false).ended) == "body")
        #expect(timeouts.ended == nil)
        #expect(!timeouts.stop.hasFired)
    }

    @Test("a timeout that passed before the response was whole stays, and so does a cancellation")
    func notLate() {
        let timeouts = Timeouts(idle: .seconds(10), total: nil)
        timeouts.check(.now + .seconds(10))
        #expect(Self.name(timeouts.endExchange(isAnswered: true, isComplete: false, leftBody: false).ended) == "idle")
        #expect(Self.name(timeouts.ended) == "idle")
        let cancelled = Timeouts()
        cancelled.cancel()
        #expect(
            Self.name(cancelled.endExchange(isAnswered: true, isComplete: true, leftBody: true).ended) == "cancelled")
        #expect(cancelled.stop.hasFired)
    }

    @Test("a cancellation behind a timeout of the step ends the call, and no further step begins")
    func cancelledLater() {
        let timeouts = Timeouts(idle: .seconds(10), total: nil)
        timeouts.check(.now + .seconds(10))
        timeouts.cancel()
        #expect(Self.name(timeouts.ended) == "cancelled")
        let (stop, _) = timeouts.beginStep(.working)
        #expect(stop.hasFired)
        #expect(Self.name(timeouts.ended) == "cancelled")
    }

    @Test("a limit that passed between two steps ends the next one as it begins", arguments: ["attempt", "total"])
    func passedBetween(_ limit: String) {
        let timeouts = Timeouts(idle: .seconds(10), total: limit == "total" ? .zero : nil)
        _ = timeouts.beginStep(.working)
        if limit == "attempt" { timeouts.beginAttempt(.zero) }
        let (stop, _) = timeouts.beginStep(.exchanging)
        #expect(Self.name(timeouts.ended) == limit)
        #expect(stop.hasFired)
    }

    @Test("a step that follows an idle one has a signal of its own, also if it is the first")
    func firstStep() {
        let timeouts = Timeouts(idle: .seconds(10), total: nil)
        timeouts.check(.now + .seconds(10))
        let (stop, _) = timeouts.beginStep(.exchanging)
        #expect(!stop.hasFired)
        #expect(timeouts.ended == nil)
    }

    @Test("a late response stays late while its file is written, and a timeout meanwhile is no longer forgiven")
    func lateFile() {
        let timeouts = Timeouts(idle: nil, total: .zero)
        timeouts.check()
        _ = timeouts.endExchange(isAnswered: false, isComplete: true, leftBody: true)
        _ = timeouts.endExchange(isAnswered: false, isComplete: false, leftBody: false)
        timeouts.check()
        #expect(timeouts.ended == nil)
        let attempt = Timeouts(idle: nil, total: nil)
        _ = attempt.endExchange(isAnswered: false, isComplete: true, leftBody: true)
        attempt.beginAttempt(.zero)
        attempt.check()
        #expect(
            Self.name(attempt.endExchange(isAnswered: false, isComplete: false, leftBody: false).ended) == "attempt")
    }

    @Test("a redirect handler that answers after its exchange has ended changes nothing")
    func lateHandler() {
        let timeouts = Timeouts(idle: .seconds(10), total: nil)
        _ = timeouts.beginStep(.exchanging)
        let asked = timeouts.stop
        _ = timeouts.change(to: .working, in: asked)
        timeouts.check(.now + .seconds(100))
        #expect(timeouts.ended == nil)
        _ = timeouts.beginStep(.answered)
        _ = timeouts.change(to: .exchanging, in: asked)
        timeouts.check(.now + .seconds(100))
        #expect(timeouts.ended == nil)
    }
}
