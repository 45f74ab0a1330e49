import PatchbayRegistry
import Synchronization

/// The idle and the total clock of one call, and the signal that ends it: out of time or cancelled, whichever comes first.
final class ExchangeClock: Sendable {
    enum End: Sendable {
        case idle(Duration)
        case total(Duration)
        case cancelled
    }

    let stop = Signal()
    private let end = Guarded<End?>(nil)
    private let start: ContinuousClock.Instant
    private let idle: Duration?
    private let total: Duration?
    /// Until when no byte was expected to move; nil: one always was.
    private let rest: (@Sendable () -> ContinuousClock.Instant?)?
    /// Nanoseconds from `start` to the last byte that moved.
    private let lastActivity: Atomic<Int64>

    /// - Parameter start: when the call began, which an exchange that is tried again did not.
    init(
        idle: Duration?, total: Duration?, start: ContinuousClock.Instant = .now,
        rest: (@Sendable () -> ContinuousClock.Instant?)? = nil
    ) {
        self.start = start
        self.rest = rest
        lastActivity = Atomic((ContinuousClock.now - start).nanoseconds)
        self.idle = idle?.waitable
        self.total = total?.waitable
    }

    var elapsed: Duration { ContinuousClock.now - start }

    /// Why the call was ended early, or nil.
    var ended: End? { end.withLock { $0 } }

    /// A byte moved. One that comes too late does not save the call, even where the keeper had no thread to notice.
    func touch() {
        let now = ContinuousClock.now
        check(now)
        lastActivity.store((now - start).nanoseconds, ordering: .relaxed)
    }

    func cancel() { finish(.cancelled) }

    /// When the next of the two clocks runs out, as far as is known now; nil where there is none.
    var deadline: ContinuousClock.Instant? {
        let idleEnd = idle.map { quietSince + $0 }
        let totalEnd = total.map { start + $0 }
        guard let idleEnd, let totalEnd else { return idleEnd ?? totalEnd }
        return min(idleEnd, totalEnd)
    }

    /// Ends the call if a clock has run out.
    func check(_ now: ContinuousClock.Instant) {
        if let total, now >= start + total { return finish(.total(total)) }
        if let idle, now >= quietSince + idle { finish(.idle(idle)) }
    }

    private var quietSince: ContinuousClock.Instant {
        let last = start + .nanoseconds(lastActivity.load(ordering: .relaxed))
        return rest?().map { max($0, last) } ?? last
    }

    private func finish(_ reason: End) {
        let first = end.withLock { end in
            guard end == nil else { return false }
            end = reason
            return true
        }
        if first { stop.fire() }
    }
}

extension Duration {
    /// Whole nanoseconds; durations beyond 292 years count as that.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflowed ? .max : sum
    }
}
