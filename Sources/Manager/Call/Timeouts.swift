import PatchbayPlatform
import PatchbayRegistry

/// The idle and the total timeout of one call, and the signal that ends its current step: when a timeout has passed, or
/// the call is cancelled.
///
/// The total timeout counts from the start of the call, which is the zero point of all its times. Each step (an
/// attempt, or the work of interceptors between attempts) has its own signal, because another attempt may follow one
/// that was idle too long.
final class Timeouts: Sendable {
    /// The reason that a step ended early.
    enum End: Sendable {
        case idle(Duration)
        case total(Duration)
        case cancelled
        /// A timeout that passed while the exchange waited for a connection, and the reason for the wait.
        indirect case unconnected(End, because: String)

        /// Whether no further step may follow.
        var isFinal: Bool {
            switch self {
            case .idle: false
            case .total, .cancelled: true
            case .unconnected(let end, _): end.isFinal
            }
        }

        /// The same for an exchange that waits for a connection.
        func waiting(because shortage: String) -> End {
            switch self {
            case .idle, .total: .unconnected(self, because: shortage)
            case .cancelled, .unconnected: self
            }
        }
    }

    private struct State: Sendable {
        var start: ContinuousClock.Instant
        var idle: Duration?
        var total: Duration?
        /// Whether bytes are expected: there is no idle timeout between exchanges.
        var isExchanging = true
        /// Whether the caller's own code runs, so that no byte is expected until it returns.
        var isAsking = false
        var lastActivity: ContinuousClock.Instant
        var shortage: String?
        var end: End?
        /// The total timeout that passed after a complete response. It counts again when the call needs another
        /// exchange.
        var forgiven: End?
        /// The signal that ends the step. The first one exists before the first step.
        var stop = OneShot()
        var hasSteps = false

        var totalEnd: ContinuousClock.Instant? { total.map { start + $0 } }

        /// The time at which the idle timeout passes; nil while it does not run.
        /// - Parameter rest: the time until which no byte was expected.
        func idleEnd(_ rest: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            guard isExchanging, let idle else { return nil }
            return max(rest ?? lastActivity, lastActivity) + idle
        }

        /// Ends the step, if it has not ended, and gives the signal to fire.
        mutating func finish(_ reason: End) -> OneShot? {
            guard end == nil else { return nil }
            end = shortage.map { reason.waiting(because: $0) } ?? reason
            return stop
        }
    }

    /// Used by the caller's task, the transport's turn and the timer. Nothing is called while it is locked.
    private let state: Guarded<State>
    /// The time until which no byte was expected; nil if bytes always were.
    private let rest: (@Sendable () -> ContinuousClock.Instant?)?

    init(
        idle: Duration? = nil, total: Duration? = nil, start: ContinuousClock.Instant = .now,
        rest: (@Sendable () -> ContinuousClock.Instant?)? = nil
    ) {
        self.rest = rest
        state = Guarded(State(start: start, idle: idle?.waitable, total: total?.waitable, lastActivity: start))
    }

    /// The signal that ends the step.
    var stop: OneShot { state.withLock(\.stop) }

    /// The reason that the step ended early; nil if it did not.
    var ended: End? { state.withLock(\.end) }

    var elapsed: Duration {
        let now = ContinuousClock.now
        return now - state.withLock(\.start)
    }

    func begin() {
        let now = ContinuousClock.now
        state.withLock { ($0.start, $0.lastActivity) = (now, now) }
    }

    /// Sets the timeouts for the next steps.
    func set(idle: Duration?, total: Duration?) {
        state.withLock { ($0.idle, $0.total) = (idle?.waitable, total?.waitable) }
    }

    /// Begins the next step, unless the call has ended.
    /// - Returns: the signal that ends the step; already fired if the call has ended.
    func beginStep(isExchanging: Bool) -> OneShot {
        let now = ContinuousClock.now
        // The signal of the previous step may hold the last reference to foreign code, so it is released outside the
        // lock.
        let (stop, dropped) = state.withLock { state -> (OneShot, OneShot) in
            state.isExchanging = isExchanging
            state.isAsking = false
            state.shortage = nil
            state.lastActivity = now
            let last = state.stop
            if let end = state.end {
                guard !end.isFinal else { return (last, last) }
                state.end = nil
            }
            if state.hasSteps { state.stop = OneShot() }
            state.hasSteps = true
            return (state.stop, last)
        }
        withExtendedLifetime(dropped) {}
        return stop
    }

    /// The caller's own code begins: the idle timeout stops until it returns.
    func beginAsking() { state.withLock { $0.isAsking = true } }

    /// The caller's own code has returned.
    func endAsking() {
        let now = ContinuousClock.now
        state.withLock { ($0.isAsking, $0.lastActivity) = (false, now) }
    }

    /// The exchange waits for a connection, at most for the idle timeout, which starts again with the connection.
    func beginWait(because shortage: String) {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (shortage, now) }
    }

    /// The wait for a connection has ended.
    func endWait() {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (nil, now) }
    }

    /// A byte moved. A byte after the timeout does not save the call, even if the timer had no thread to notice.
    /// - Returns: the time since the start of the call.
    @discardableResult
    func touch() -> Duration { check(.now, hasMoved: true) }

    /// Ends the step if a timeout has passed.
    func check(_ now: ContinuousClock.Instant) { _ = check(now, hasMoved: false) }

    /// The timeout passed, but the response was complete: the call continues to its value.
    func forgive() {
        state.withLock { state in
            switch state.end {
            case .idle: break
            case .total: state.forgiven = state.end
            case .cancelled, .unconnected, nil: return
            }
            (state.end, state.stop, state.isExchanging) = (nil, OneShot(), false)
        }
    }

    /// There is no value. For another attempt the passed timeout counts again.
    func forgiveNoMore() {
        let stop = state.withLock { state in
            state.forgiven.take().flatMap { state.finish($0) }
        }
        stop?.fire()
    }

    func cancel() {
        let stop = state.withLock { $0.finish(.cancelled) }
        stop?.fire()
    }

    /// The time at which the next timeout passes, as far as it is known; nil if neither runs.
    var deadline: ContinuousClock.Instant? {
        let rest = rest?()
        return state.withLock { state in
            guard state.forgiven == nil else { return nil }
            // No event tells the timer about an answer, so it keeps looking.
            guard let idleEnd = state.idleEnd(state.isAsking ? .now : rest) else { return state.totalEnd }
            return state.totalEnd.map { min(idleEnd, $0) } ?? idleEnd
        }
    }

    /// Ends the step if a timeout has passed, and notes a moved byte.
    private func check(_ now: ContinuousClock.Instant, hasMoved: Bool) -> Duration {
        let rest = rest?()
        let (stop, elapsed) = state.withLock { state -> (OneShot?, Duration) in
            defer { if hasMoved { state.lastActivity = now } }
            let elapsed = now - state.start
            if state.forgiven == nil, let total = state.total, elapsed >= total {
                return (state.finish(.total(total)), elapsed)
            }
            if !state.isAsking, let end = state.idleEnd(rest), let idle = state.idle, now >= end {
                return (state.finish(.idle(idle)), elapsed)
            }
            return (nil, elapsed)
        }
        stop?.fire()
        return elapsed
    }
}

/// Watches the timeouts of all calls of one manager with a single sleeping task.
///
/// It has no list: a call tells it the latest time to wake, and the running tasks know their timeouts. It sleeps until
/// the earliest known deadline; if bytes have moved, it sleeps again.
final class TimeoutTimer: Sendable {
    /// The least time between two sweeps, so that many close deadlines need one sweep.
    private static let granularity = Duration.milliseconds(5)
    private let tasks: TaskList
    /// The time at which the sleeping task wakes; nil if none sleeps.
    private let wake = Guarded<ContinuousClock.Instant?>(nil)

    init(_ tasks: TaskList) { self.tasks = tasks }

    /// Watches a deadline. It is called again for each step of a call.
    func watch(_ deadline: ContinuousClock.Instant?) {
        if let deadline, overtakes(deadline) { sleep(until: deadline) }
    }

    /// Ends all steps whose timeouts have passed at an instant.
    func check(at instant: ContinuousClock.Instant) {
        for timeouts in tasks.timeouts { timeouts.check(instant) }
    }

    /// The number of calls with a running timeout.
    var count: Int { tasks.timeouts.count { $0.deadline != nil } }

    /// Whether no task wakes before the instant. The instant is then noted.
    private func overtakes(_ instant: ContinuousClock.Instant) -> Bool {
        wake.withLock { wake in
            guard wake.map({ instant < $0 }) ?? true else { return false }
            wake = instant
            return true
        }
    }

    private func sleep(until instant: ContinuousClock.Instant) {
        Task.detached { [weak self] in
            try? await ContinuousClock().sleep(until: instant, tolerance: .zero)
            self?.sweep(wokenAt: instant)
        }
    }

    private func sweep(wokenAt instant: ContinuousClock.Instant) {
        // A task that an earlier deadline has overtaken finds another wake-up noted, and leaves it. The note is removed
        // before the calls are asked: a deadline that is set meanwhile is then either among theirs, or has a task of
        // its own.
        wake.withLock { wake in if wake == instant { wake = nil } }
        let now = ContinuousClock.now
        check(at: now)
        let earliest = tasks.timeouts.filter { $0.ended == nil }.compactMap(\.deadline).min()
        watch(earliest.map { max($0, now + Self.granularity) })
    }
}

extension Duration {
    /// The duration limited to a century in either direction, so that it can be waited for.
    ///
    /// A `Duration` can hold more seconds than an `Int64`. Clocks and `components` trap on such values, and on sums
    /// that overflow. Every duration from a caller is limited here before it is added to an instant, slept for or taken
    /// apart.
    var waitable: Duration { min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000)) }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration of a caller, however long or short.
    package static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
