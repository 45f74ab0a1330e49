import PatchbayPlatform
import PatchbayRegistry

/// The idle timeout, the attempt timeout and the total timeout of one call, and the signal that ends its current step
/// when a timeout has passed or the call is cancelled.
///
/// The total timeout counts from the start of the call, which is the zero point of all its times. Each step (an
/// attempt, or the work of interceptors between attempts) has its own signal, because another attempt can follow an
/// attempt that was idle too long.
final class Timeouts: Sendable {
    /// The reason that a step ended early.
    enum End: Sendable {
        case idle(Duration)
        case attempt(Duration)
        case total(Duration)
        case cancelled
        /// A timeout that passed while the exchange waited for a connection, and the reason for the wait.
        indirect case unconnected(End, because: String)

        /// Whether no further step can follow.
        var isFinal: Bool {
            switch self {
            case .idle, .attempt: false
            case .total, .cancelled: true
            case .unconnected(let end, _): end.isFinal
            }
        }

        /// Returns the reason for an exchange that waits for a connection: a timeout becomes `unconnected`.
        func waiting(because shortage: String) -> End {
            switch self {
            case .idle, .attempt, .total: .unconnected(self, because: shortage)
            case .cancelled, .unconnected: self
            }
        }
    }

    private struct State: Sendable {
        var start: ContinuousClock.Instant
        var idle: Duration?
        var total: Duration?
        /// The longest time for the attempt, and the time at which it has passed; nil between attempts.
        var attempt: (limit: Duration, end: ContinuousClock.Instant)?
        /// Whether bytes are expected: there is no idle timeout between exchanges.
        var isExchanging = true
        /// Whether code of the caller runs, such as a redirect handler. No byte is expected until the code returns.
        var isAsking = false
        var lastActivity: ContinuousClock.Instant
        var shortage: String?
        var end: End?
        /// The total timeout that passed after a complete response. It counts again when the call needs another
        /// exchange.
        var forgiven: End?
        /// The signal that ends the step. The first signal exists before the first step.
        var stop = OneShot()
        var hasSteps = false

        var totalEnd: ContinuousClock.Instant? { total.map { start + $0 } }

        /// The time at which the idle timeout passes; nil while it does not run.
        /// - Parameter rest: the end of the last wait for a reader, a disk or the caller. The idle timeout doesn't run
        ///   during such a wait.
        func idleEnd(_ rest: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            guard isExchanging, let idle else { return nil }
            return max(rest ?? lastActivity, lastActivity) + idle
        }

        /// Ends the step and returns the signal to fire. Returns nil if the step has already ended.
        mutating func finish(_ reason: End) -> OneShot? {
            guard end == nil else { return nil }
            end = shortage.map { reason.waiting(because: $0) } ?? reason
            return stop
        }
    }

    /// The task of the caller, the transport and the timer use this state. No other code is called while the lock is
    /// held.
    private let state: Guarded<State>
    /// Returns the end of the last wait for a reader, a disk or the caller; nil if nothing has waited. The idle timeout
    /// doesn't run during such a wait.
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

    /// The reason that the step ended early; nil if it did not end early.
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

    /// Limits the time of the attempt that begins now.
    func beginAttempt(_ limit: Duration) {
        let (limit, now) = (limit.waitable, ContinuousClock.now)
        state.withLock { $0.attempt = (limit, now + limit) }
    }

    /// Called when the attempt has failed.
    func endAttempt() { state.withLock { $0.attempt = nil } }

    /// Begins the next step, unless the call has ended.
    /// - Returns: the signal that ends the step; already fired if the call has ended.
    func beginStep(isExchanging: Bool) -> OneShot {
        let now = ContinuousClock.now
        // The signal of the previous step can hold the last reference to foreign code, so it is released outside the
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

    /// Called before code of the caller runs. The idle timeout stops until the code returns.
    func beginAsking() { state.withLock { $0.isAsking = true } }

    /// Called when the code of the caller has returned.
    func endAsking() {
        let now = ContinuousClock.now
        state.withLock { ($0.isAsking, $0.lastActivity) = (false, now) }
    }

    /// Called when the exchange begins to wait for a connection. The wait lasts at most for the idle timeout, which
    /// starts again with the connection.
    func beginWait(because shortage: String) {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (shortage, now) }
    }

    /// Called when the wait for a connection has ended.
    func endWait() {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (nil, now) }
    }

    /// Called when a byte was sent or received. If the timeout has already passed, the step ends, even if the timer has
    /// not run yet.
    /// - Returns: the time since the start of the call.
    @discardableResult
    func touch() -> Duration { check(.now, hasMoved: true) }

    /// Ends the step if a timeout has passed.
    func check(_ now: ContinuousClock.Instant) { _ = check(now, hasMoved: false) }

    /// Called when a timeout has passed but the response is complete. The call continues to its value.
    func forgive() {
        state.withLock { state in
            switch state.end {
            case .idle, .attempt: break
            case .total: state.forgiven = state.end
            case .cancelled, .unconnected, nil: return
            }
            (state.end, state.stop, state.isExchanging) = (nil, OneShot(), false)
        }
    }

    /// Called when the complete response gives no value. The total timeout that has passed counts again for another
    /// attempt.
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

    /// The time at which the next timeout passes, as far as it is known; nil if no timeout runs.
    var deadline: ContinuousClock.Instant? {
        let rest = rest?()
        return state.withLock { state in
            guard state.forgiven == nil else { return nil }
            // No event tells the timer that the code of the caller has returned, so the timer checks again and again.
            var earliest = state.totalEnd
            if let end = state.idleEnd(state.isAsking ? .now : rest) { earliest = earliest.map { min($0, end) } ?? end }
            if let end = state.attempt?.end { earliest = earliest.map { min($0, end) } ?? end }
            return earliest
        }
    }

    /// Ends the step if a timeout has passed. If `hasMoved`, notes that a byte was sent or received.
    private func check(_ now: ContinuousClock.Instant, hasMoved: Bool) -> Duration {
        let rest = rest?()
        let (stop, elapsed) = state.withLock { state -> (OneShot?, Duration) in
            defer { if hasMoved { state.lastActivity = now } }
            let elapsed = now - state.start
            if state.forgiven == nil, let total = state.total, elapsed >= total {
                return (state.finish(.total(total)), elapsed)
            }
            if state.forgiven == nil, let attempt = state.attempt, now >= attempt.end {
                return (state.finish(.attempt(attempt.limit)), elapsed)
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
/// The timer has no list of its own: each call tells the timer its deadline, and the tasks in `TaskList` know their
/// timeouts. The timer sleeps until the earliest deadline. If bytes were sent or received meanwhile, it sleeps again.
final class TimeoutTimer: Sendable {
    /// The least time between two sweeps, so that deadlines close to each other need one sweep.
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

    /// Whether no task wakes before the instant. If so, notes the instant in `wake`.
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
        // If an earlier deadline was set while this task slept, `wake` has another instant and stays. `wake` is reset
        // before the deadlines of the calls are read: a deadline that is set meanwhile is then either among them, or
        // has a sleeping task of its own.
        wake.withLock { wake in if wake == instant { wake = nil } }
        let now = ContinuousClock.now
        check(at: now)
        let earliest = tasks.timeouts.filter { $0.ended == nil }.compactMap(\.deadline).min()
        watch(earliest.map { max($0, now + Self.granularity) })
    }
}

extension Duration {
    /// The duration limited to a century in either direction, so that a clock can wait for it.
    ///
    /// A `Duration` can hold more seconds than an `Int64`. Clocks and `components` trap on such values, and on sums
    /// that overflow. Every duration from a caller is limited here before it is added to an instant, slept for or taken
    /// apart.
    package var waitable: Duration { min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000)) }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration that a caller gave, however long or short it is.
    package static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
