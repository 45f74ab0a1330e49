import PatchbayPlatform
import PatchbayRegistry

/// The idle timeout, the attempt timeout and the total timeout of one call, and the signal that ends its current step
/// when a timeout has passed or the call is cancelled.
///
/// The total timeout counts from the start of the call, which is the zero point of all its times. Each step (an exchange,
/// or the work of interceptors or of a disk) has its own signal, because another step can follow one that was idle for too
/// long.
final class Timeouts: Sendable {
    /// The reason that a step ended early.
    enum End: Sendable {
        case idle(Duration)
        case attempt(Duration)
        case total(Duration)
        /// The time for a body that the call can do without.
        case body(Duration)
        case cancelled
        /// A timeout that passed while the exchange waited for a connection, and the reason for the wait.
        indirect case unconnected(End, because: String)

        /// Whether no further step can follow.
        var isFinal: Bool {
            switch self {
            case .idle, .attempt, .body: false
            case .total, .cancelled: true
            case .unconnected(let end, _): end.isFinal
            }
        }

        var isTimeout: Bool { if case .cancelled = self { false } else { true } }

        /// The end without a wait for a connection.
        var base: End { if case .unconnected(let end, _) = self { end } else { self } }

        /// Whether the call goes on without the rest of the body.
        var isOfBody: Bool { if case .body = self { true } else { false } }

        /// Returns the reason for an exchange that waits for a connection: a timeout becomes `unconnected`.
        func waiting(because shortage: String) -> End {
            switch self {
            case .idle, .attempt, .total: .unconnected(self, because: shortage)
            case .body, .cancelled, .unconnected: self
            }
        }
    }

    /// The part of the call that runs, which decides the timeouts that count.
    enum Phase: Sendable, BitwiseCopyable {
        /// Interceptors, a delay, a disk or a redirect handler work: no byte is expected.
        case working
        /// Bytes are expected.
        case exchanging
        /// The response has arrived. Only the total timeout counts.
        case answered
        /// The response had arrived when a timeout passed, but its exchange was not over. The call goes on to its value, and
        /// no timeout counts.
        case late
    }

    /// A time that has passed at `end`.
    private struct Limit: BitwiseCopyable, Sendable {
        let duration: Duration
        let end: Moment

        init(_ duration: Duration, from start: Moment) {
            self.duration = duration.waitable
            end = start + duration
        }
    }

    /// The limits of the call, and the instants from which they count. Without references: the state below is read
    /// several times for each response, and a copy of references costs more than the work.
    private struct Limits: BitwiseCopyable, Sendable {
        var start: Moment
        /// Nanoseconds, because each chunk of a body is compared with both.
        var idle: Int64?
        var total: Int64?
        /// Nil between attempts.
        var attempt: Limit?
        /// For a body that the call can do without; nil for every other body.
        var body: Limit?
        var phase = Phase.exchanging
        var lastActivity: Moment

        /// The time at which the idle timeout passes.
        /// - Parameter heldUntil: the end of the last wait for a reader, a disk or the caller. The idle timeout doesn't run
        ///   during such a wait.
        @inline(__always)
        func idleEnd(_ idle: Int64, _ heldUntil: Moment?) -> Moment {
            max(heldUntil ?? lastActivity, lastActivity).advanced(byNanoseconds: idle)
        }

        private var totalEnd: Moment? { total.map { start.advanced(byNanoseconds: $0) } }

        /// The time at which `body` passes, which doesn't run while the call is suspended.
        private func bodyEnd(_ body: Limit, _ heldUntil: Moment?) -> Moment {
            heldUntil.map { max($0 + body.duration, body.end) } ?? body.end
        }

        /// The time at which the next timeout passes; nil if no timeout runs.
        func deadline(_ heldUntil: Moment?) -> Moment? {
            func earlier(_ one: Moment?, _ other: Moment?) -> Moment? {
                guard let one, let other else { return one ?? other }
                return min(one, other)
            }
            switch phase {
            case .late: return nil
            case .answered: return totalEnd
            case .working: return earlier(totalEnd, attempt?.end)
            case .exchanging:
                let ofBytes = earlier(idle.map { idleEnd($0, heldUntil) }, body.map { bodyEnd($0, heldUntil) })
                return earlier(earlier(totalEnd, attempt?.end), ofBytes)
            }
        }

        /// The timeout that has passed; nil if none has.
        func passed(at now: Moment, _ heldUntil: Moment?) -> End? {
            guard phase != .late else { return nil }
            if let total, let end = totalEnd, now >= end { return .total(.nanoseconds(total)) }
            guard phase != .answered else { return nil }
            if let attempt, now >= attempt.end { return .attempt(attempt.duration) }
            guard phase == .exchanging else { return nil }
            if let body, now >= bodyEnd(body, heldUntil) { return .body(body.duration) }
            if let idle, now >= idleEnd(idle, heldUntil) { return .idle(.nanoseconds(idle)) }
            return nil
        }
    }

    private struct State: Sendable {
        var limits: Limits
        var shortage: String?
        var end: End?
        /// The signal that ends the step. The first signal exists before the first step.
        var stop = OneShot()
        var hasSteps = false

        /// Ends the step and returns the signal to fire; nil if it has ended. The end of the call takes the place of an end
        /// after which another step could follow.
        mutating func finish(_ reason: End) -> OneShot? {
            guard end == nil || end?.isFinal == false && reason.isFinal else { return nil }
            end = shortage.map { reason.waiting(because: $0) } ?? reason
            return stop
        }
    }

    /// The task of the caller, the transport and the timer use this state. No other code is called while the lock is
    /// held.
    private let state: Guarded<State>
    /// Returns the end of the last wait for a reader, a disk or the caller; nil if nothing has waited. The idle timeout
    /// doesn't run during such a wait.
    private let heldUntil: (@Sendable () -> Moment?)?

    init(
        idle: Duration? = nil, total: Duration? = nil, start: Moment = .now,
        heldUntil: (@Sendable () -> Moment?)? = nil
    ) {
        self.heldUntil = heldUntil
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
        let limit = Limit(limit, from: .now)
        state.withLock { $0.limits.attempt = limit }
    }

    /// Called when the attempt has failed. A total timeout that passed behind a late response counts from now on.
    func endAttempt(_ now: Moment = .now) {
        state.withLock { ($0.limits.attempt, $0.limits.phase) = (nil, .working) }
        check(now)
    }

    /// Begins the next step, unless the call has ended.
    /// - Returns: the signal that ends the step, already fired if a limit has passed; and the time at which the next
    ///   timeout passes, as far as it is known, nil if no timeout runs.
    func beginStep(_ phase: Phase) -> (stop: OneShot, deadline: Moment?) {
        let (heldUntil, now) = (heldUntil?(), Moment.now)
        // The signal of the previous step can hold the last reference to foreign code: it is released outside the lock.
        let (stop, dropped, passed, deadline) = state.withLock { state -> (OneShot, OneShot, OneShot?, Moment?) in
            (state.limits.phase, state.limits.body, state.limits.lastActivity) = (phase, nil, now)
            state.shortage = nil
            let last = state.stop
            if let end = state.end, end.isFinal { return (last, last, nil, nil) }
            if state.hasSteps || state.end != nil { state.stop = OneShot() }
            state.end = nil
            // Before the first step, no time has gone.
            let passed = !state.hasSteps ? nil : state.limits.passed(at: now, heldUntil).flatMap { state.finish($0) }
            state.hasSteps = true
            return (state.stop, last, passed, state.limits.deadline(heldUntil))
        }
        withExtendedLifetime(dropped) {}
        passed?.fire()
        return (stop, deadline)
    }

    /// Called before and after code of the caller runs in the middle of a step. No effect if the step has ended.
    /// - Returns: the time at which the next timeout passes.
    func change(to phase: Phase, in step: OneShot) -> Moment? {
        let now = Moment.now
        return state.withLock { state in
            guard state.stop === step else { return nil }
            (state.limits.phase, state.limits.lastActivity) = (phase, now)
            return state.limits.deadline(nil)
        }
    }

    /// Limits the time for the rest of a body that the call can do without.
    /// - Parameter limit: nil for the idle timeout.
    /// - Returns: the time at which the next timeout passes.
    func limitBody(_ limit: Duration?) -> Moment? {
        let now = Moment.now
        return state.withLock { state in
            state.limits.body = (limit ?? state.limits.idle.map { .nanoseconds($0) }).map { Limit($0, from: now) }
            return state.limits.deadline(nil)
        }
    }

    /// Called when the exchange is over.
    /// - Parameters:
    ///   - isAnswered: whether it has the response of the call, and not a redirect to follow.
    ///   - isComplete: whether the response was complete before a timeout passed. The call then goes on to its value, unless
    ///     the total timeout has passed.
    ///   - leftBody: whether the body of the request was left behind a complete response. The total timeout doesn't matter
    ///     then.
    /// - Returns: the reason that the exchange ended early, and the time since the start of the call.
    func endExchange(isAnswered: Bool, isComplete: Bool, leftBody: Bool) -> (ended: End?, elapsed: Duration) {
        let now = Moment.now
        let (end, start, dropped) = state.withLock { state -> (End?, Moment, OneShot?) in
            let start = state.limits.start
            if state.limits.phase != .late { state.limits.phase = isAnswered ? .answered : .working }
            let isForgiven = isComplete && (leftBody || state.end?.isFinal == false)
            guard let end = state.end, end.isOfBody || isForgiven && end.isTimeout else {
                return (state.end, start, nil)
            }
            if case .total = end { state.limits.phase = .late }
            if case .attempt = end { state.limits.attempt = nil }
            let dropped = state.stop
            (state.end, state.stop) = (nil, OneShot())
            return (end.isOfBody ? end : nil, start, dropped)
        }
        withExtendedLifetime(dropped) {}
        return (end, now - start)
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

    func cancel() {
        let stop = state.withLock { $0.finish(.cancelled) }
        stop?.fire()
    }

    /// The time at which the next timeout passes, as far as it is known; nil if no timeout runs.
    var deadline: Moment? {
        let heldUntil = heldUntil?()
        return state.withLock { $0.limits.deadline(heldUntil) }
    }

    /// Ends the step if a timeout has passed, even if the timer has not run yet.
    /// - Parameter hasMoved: whether a byte was sent or received.
    /// - Returns: the time since the start of the call.
    @discardableResult
    func check(_ now: Moment = .now, hasMoved: Bool = false) -> Duration {
        let heldUntil = heldUntil?()
        let (stop, start) = state.withLock { state -> (OneShot?, Moment) in
            defer { if hasMoved { state.limits.lastActivity = now } }
            let end = state.limits.passed(at: now, heldUntil)
            return (end.flatMap { state.finish($0) }, state.limits.start)
        }
        stop?.fire()
        return now - start
    }
}
