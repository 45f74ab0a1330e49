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

        var isTimeout: Bool { if case .cancelled = self { false } else { true } }

        /// Returns the reason for an exchange that waits for a connection: a timeout becomes `unconnected`.
        func waiting(because shortage: String) -> End {
            switch self {
            case .idle, .attempt, .total: .unconnected(self, because: shortage)
            case .cancelled, .unconnected: self
            }
        }
    }

    /// The limits of the call, and the instants from which they count. Without references: the state below is read
    /// several times for each response, and a copy of references costs more than the work.
    private struct Limits: BitwiseCopyable, Sendable {
        var start: Moment
        /// Nanoseconds, because each chunk of a body is compared with both.
        var idle: Int64?
        var total: Int64?
        /// The longest time for the attempt, and the time at which it has passed; nil between attempts.
        var attempt: Attempt?
        /// Whether bytes are expected: there is no idle timeout between exchanges.
        var isExchanging = true
        /// Whether code of the caller runs, such as a redirect handler. No byte is expected until the code returns.
        var isAsking = false
        var lastActivity: Moment

        struct Attempt: BitwiseCopyable, Sendable {
            let limit: Duration
            let end: Moment
        }

        /// The time at which the idle timeout passes; nil while it does not run.
        /// - Parameter rest: the end of the last wait for a reader, a disk or the caller. The idle timeout doesn't run
        ///   during such a wait.
        @inline(__always)
        func idleEnd(_ rest: Moment?) -> Moment? {
            guard isExchanging, let idle else { return nil }
            return max(rest ?? lastActivity, lastActivity).advanced(byNanoseconds: idle)
        }

        private var totalEnd: Moment? { total.map { start.advanced(byNanoseconds: $0) } }

        /// The time at which the next timeout passes; nil if no timeout runs.
        func deadline(_ rest: Moment?) -> Moment? {
            // No event tells the timer that the code of the caller has returned, so the timer checks again and again.
            var earliest = idleEnd(isAsking ? .now : rest)
            if let end = totalEnd { earliest = min(earliest ?? end, end) }
            if let attempt { earliest = min(earliest ?? attempt.end, attempt.end) }
            return earliest
        }

        /// The timeout that has passed; nil if none has.
        /// - Parameter isForgiven: whether only the idle timeout counts.
        func passed(at now: Moment, _ rest: Moment?, isForgiven: Bool) -> End? {
            if !isForgiven {
                if let total, let end = totalEnd, now >= end { return .total(.nanoseconds(total)) }
                if let attempt, now >= attempt.end { return .attempt(attempt.limit) }
            }
            if !isAsking, let idle, let end = idleEnd(rest), now >= end { return .idle(.nanoseconds(idle)) }
            return nil
        }
    }

    private struct State: Sendable {
        var limits: Limits
        var shortage: String?
        var end: End?
        /// The total timeout that passed after a complete response. It counts again when the call needs another
        /// exchange.
        var forgiven: End?
        /// The signal that ends the step. The first signal exists before the first step.
        var stop = OneShot()
        var hasSteps = false

        /// The time at which the next timeout passes; nil if no timeout runs.
        @inline(__always)
        func deadline(_ rest: Moment?) -> Moment? { forgiven == nil ? limits.deadline(rest) : nil }

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
    private let rest: (@Sendable () -> Moment?)?

    init(
        idle: Duration? = nil, total: Duration? = nil, start: Moment = .now,
        rest: (@Sendable () -> Moment?)? = nil
    ) {
        self.rest = rest
        state = Guarded(
            State(
                limits: Limits(
                    start: start, idle: idle?.waitableNanoseconds, total: total?.waitableNanoseconds,
                    lastActivity: start)))
    }

    /// The signal that ends the step.
    var stop: OneShot { state.withLock { $0.stop } }

    /// The reason that the step ended early; nil if it did not end early.
    var ended: End? { state.withLock(\.end) }

    var elapsed: Duration {
        let now = Moment.now
        return now - state.withLock(\.limits.start)
    }

    func begin() {
        let now = Moment.now
        state.withLock { ($0.limits.start, $0.limits.lastActivity) = (now, now) }
    }

    /// Sets the timeouts for the next steps.
    func set(idle: Duration?, total: Duration?) {
        let (idle, total) = (idle?.waitableNanoseconds, total?.waitableNanoseconds)
        state.withLock { ($0.limits.idle, $0.limits.total) = (idle, total) }
    }

    /// Limits the time of the attempt that begins now.
    func beginAttempt(_ limit: Duration) {
        let (limit, now) = (limit.waitable, Moment.now)
        state.withLock { $0.limits.attempt = Limits.Attempt(limit: limit, end: now + limit) }
    }

    /// Called when the attempt has failed.
    func endAttempt() { state.withLock { $0.limits.attempt = nil } }

    /// Begins the next step, unless the call has ended.
    /// - Returns: the signal that ends the step, already fired if the call has ended; and the time at which the next
    ///   timeout passes, as far as it is known, nil if no timeout runs.
    func beginStep(isExchanging: Bool) -> (stop: OneShot, deadline: Moment?) {
        let (rest, now) = (rest?(), Moment.now)
        // The signal of the previous step can hold the last reference to foreign code, so it is released outside the
        // lock.
        let (stop, dropped, deadline) = state.withLock { state -> (OneShot, OneShot, Moment?) in
            state.limits.isExchanging = isExchanging
            state.limits.isAsking = false
            state.limits.lastActivity = now
            state.shortage = nil
            let last = state.stop
            if let end = state.end {
                guard !end.isFinal else { return (last, last, state.deadline(rest)) }
                state.end = nil
            }
            if state.hasSteps { state.stop = OneShot() }
            state.hasSteps = true
            return (state.stop, last, state.deadline(rest))
        }
        withExtendedLifetime(dropped) {}
        return (stop, deadline)
    }

    /// Called before code of the caller runs. The idle timeout stops until the code returns.
    func beginAsking() { state.withLock { $0.limits.isAsking = true } }

    /// Called when the code of the caller has returned.
    func endAsking() {
        let now = Moment.now
        state.withLock { ($0.limits.isAsking, $0.limits.lastActivity) = (false, now) }
    }

    /// Called when the exchange begins to wait for a connection. The wait lasts at most for the idle timeout, which
    /// starts again with the connection.
    func beginWait(because shortage: String) {
        let now = Moment.now
        state.withLock { ($0.shortage, $0.limits.lastActivity) = (shortage, now) }
    }

    /// Called when the wait for a connection has ended.
    func endWait() {
        let now = Moment.now
        state.withLock { ($0.shortage, $0.limits.lastActivity) = (nil, now) }
    }

    /// Called when a timeout has passed but the response is complete. The call continues to its value.
    func forgive() {
        state.withLock { state in
            switch state.end {
            case .idle, .attempt: break
            case .total: state.forgiven = state.end
            case .cancelled, .unconnected, nil: return
            }
            (state.end, state.stop, state.limits.isExchanging) = (nil, OneShot(), false)
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
    var deadline: Moment? {
        let rest = rest?()
        return state.withLock { $0.deadline(rest) }
    }

    /// Ends the step if a timeout has passed, even if the timer has not run yet.
    /// - Parameter hasMoved: whether a byte was sent or received.
    /// - Returns: the time since the start of the call.
    @discardableResult
    func check(_ now: Moment = .now, hasMoved: Bool = false) -> Duration {
        let rest = rest?()
        let (stop, start) = state.withLock { state -> (OneShot?, Moment) in
            defer { if hasMoved { state.limits.lastActivity = now } }
            let end = state.limits.passed(at: now, rest, isForgiven: state.forgiven != nil)
            return (end.flatMap { state.finish($0) }, state.limits.start)
        }
        stop?.fire()
        return now - start
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
    private let wake = Guarded<Moment?>(nil)

    init(_ tasks: TaskList) { self.tasks = tasks }

    /// Watches a deadline. It is called again for each step of a call.
    func watch(_ deadline: Moment?) {
        if let deadline, overtakes(deadline) { sleep(until: deadline) }
    }

    /// Ends all steps whose timeouts have passed at a moment.
    func check(at moment: Moment) {
        for timeouts in tasks.timeouts { timeouts.check(moment) }
    }

    /// The number of calls with a running timeout.
    var count: Int { tasks.timeouts.count { $0.deadline != nil } }

    /// Whether no task wakes before the moment. If so, notes the moment in `wake`.
    private func overtakes(_ moment: Moment) -> Bool {
        wake.withLock { wake in
            guard wake.map({ moment < $0 }) ?? true else { return false }
            wake = moment
            return true
        }
    }

    private func sleep(until moment: Moment) {
        Task.detached { [weak self] in
            try? await ContinuousClock().sleep(until: moment.instant, tolerance: .zero)
            self?.sweep(wokenAt: moment)
        }
    }

    private func sweep(wokenAt moment: Moment) {
        // If an earlier deadline was set while this task slept, `wake` has another moment and stays. `wake` is reset
        // before the deadlines of the calls are read: a deadline that is set meanwhile is then either among them, or
        // has a sleeping task of its own.
        wake.withLock { wake in if wake == moment { wake = nil } }
        let now = Moment.now
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
    package var waitable: Duration {
        min(max(self, .seconds(-3_155_760_000 as Int64)), .seconds(3_155_760_000 as Int64))
    }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration that a caller gave, however long or short it is.
    package static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
