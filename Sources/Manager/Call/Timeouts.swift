import PatchbayPlatform
import PatchbayRegistry

/// The idle and the total timeout of one call, and the signal that ends what it is doing: out of time or cancelled, whichever comes
/// first.
///
/// The total timeout counts from the start of the call, the one zero point of its times. A step of the call (a try, or what its
/// interceptors do between tries) has a signal of its own, because a try that was idle for too long may be followed by another.
final class Timeouts: Sendable {
    /// What ended a step early.
    enum End: Sendable {
        case idle(Duration)
        case total(Duration)
        case cancelled
        /// One of the first two, while the exchange waited for a connection, and why it had none.
        indirect case unconnected(End, because: String)

        /// Whether nothing may follow it.
        var isFinal: Bool {
            switch self {
            case .idle: false
            case .total, .cancelled: true
            case .unconnected(let end, _): end.isFinal
            }
        }

        /// The same of an exchange that waits for a connection.
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
        /// Whether bytes are expected to move: between exchanges nothing can be idle.
        var isExchanging = true
        /// Whether the caller's own code is at work, so that no byte is expected until it has answered.
        var isAsking = false
        var lastActivity: ContinuousClock.Instant
        var shortage: String?
        var end: End?
        /// The total timeout that ended an exchange whose response was whole: it does not count until the call needs another one.
        var forgiven: End?
        /// Ends the step; that of the first one is there before it.
        var stop = OneShot()
        var hasSteps = false

        var totalEnd: ContinuousClock.Instant? { total.map { start + $0 } }

        /// When the idle timeout runs out; nil where nothing can be idle now.
        /// - Parameter rest: until when no byte was expected to move.
        func idleEnd(_ rest: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            guard isExchanging, let idle else { return nil }
            return max(rest ?? lastActivity, lastActivity) + idle
        }

        /// Ends the step, if nothing else has; the signal that is to be fired then.
        mutating func finish(_ reason: End) -> OneShot? {
            guard end == nil else { return nil }
            end = shortage.map { reason.waiting(because: $0) } ?? reason
            return stop
        }
    }

    /// Touched by the caller's task, by the transport's turn and by the timer. Nothing is called with it held.
    private let state: Guarded<State>
    /// Until when no byte was expected to move; nil: one always was.
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

    /// Why the step was ended early; nil while it was not.
    var ended: End? { state.withLock(\.end) }

    var elapsed: Duration {
        let now = ContinuousClock.now
        return now - state.withLock(\.start)
    }

    func begin() {
        let now = ContinuousClock.now
        state.withLock { ($0.start, $0.lastActivity) = (now, now) }
    }

    /// Sets how long it may take, for the steps to come.
    func set(idle: Duration?, total: Duration?) {
        state.withLock { ($0.idle, $0.total) = (idle?.waitable, total?.waitable) }
    }

    /// Begins the next step of the call, unless it has ended for good.
    /// - Returns: the signal that ends the step; one that has fired where the call is over.
    func beginStep(isExchanging: Bool) -> OneShot {
        let now = ContinuousClock.now
        // The signal of the step before may be the last that holds what a transport has it call.
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

    /// The caller's own code is asked: until it has answered the idle timeout stands still.
    func beginAsking() { state.withLock { $0.isAsking = true } }

    /// It has answered.
    func endAsking() {
        let now = ContinuousClock.now
        state.withLock { ($0.isAsking, $0.lastActivity) = (false, now) }
    }

    /// The exchange waits for a connection, for as long as it may be idle: that is counted from the connection on.
    func beginWait(because shortage: String) {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (shortage, now) }
    }

    /// It has one, or goes to make it.
    func endWait() {
        let now = ContinuousClock.now
        state.withLock { ($0.shortage, $0.lastActivity) = (nil, now) }
    }

    /// A byte moved. One that comes too late does not save the call, even where the timer had no thread to notice.
    /// - Returns: how long ago the call began.
    @discardableResult
    func touch() -> Duration { check(.now, hasMoved: true) }

    /// Ends the step if one of the two has run out.
    func check(_ now: ContinuousClock.Instant) { _ = check(now, hasMoved: false) }

    /// The exchange ran out of time, but none of its response was missing: the call goes on to the value.
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

    /// There is no value: of another try the time that has run out counts again.
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

    /// When the next of the two runs out, as far as is known now; nil where neither does.
    var deadline: ContinuousClock.Instant? {
        let rest = rest?()
        return state.withLock { state in
            guard state.forgiven == nil else { return nil }
            // Nothing tells the timer of an answer, so it goes on looking.
            guard let idleEnd = state.idleEnd(state.isAsking ? .now : rest) else { return state.totalEnd }
            return state.totalEnd.map { min(idleEnd, $0) } ?? idleEnd
        }
    }

    /// Ends the step where the total or the idle timeout has run out, and notes that a byte moved, if one did.
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

/// Watches the timeouts of every call of one manager with a single sleeping task.
///
/// It keeps no list: a call tells it when to wake at the latest, and then the tasks that have not ended know their timeouts. It
/// sleeps until the earliest known deadline; bytes that moved meanwhile only make it sleep again.
final class TimeoutTimer: Sendable {
    /// Two sweeps are at least this far apart, so that many close deadlines cost one sweep.
    private static let granularity = Duration.milliseconds(5)
    private let tasks: TaskList
    /// When the sleeping task wakes; nil where none sleeps.
    private let wake = Guarded<ContinuousClock.Instant?>(nil)

    init(_ tasks: TaskList) { self.tasks = tasks }

    /// Ends what a call does when its next timeout runs out; again for each step of it.
    func watch(_ deadline: ContinuousClock.Instant?) {
        if let deadline, overtakes(deadline) { sleep(until: deadline) }
    }

    /// Ends what has run out of time at an instant.
    func check(at instant: ContinuousClock.Instant) {
        for timeouts in tasks.timeouts { timeouts.check(instant) }
    }

    /// How many calls have a timeout running.
    var count: Int { tasks.timeouts.count { $0.deadline != nil } }

    /// Whether nothing wakes before the instant; notes it then.
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
        // A task that an earlier deadline has overtaken finds another wake-up noted, and leaves it alone. Noted before the calls are
        // asked: a deadline that comes up meanwhile is then either among theirs, or has a task of its own.
        wake.withLock { wake in if wake == instant { wake = nil } }
        let now = ContinuousClock.now
        check(at: now)
        let earliest = tasks.timeouts.filter { $0.ended == nil }.compactMap(\.deadline).min()
        watch(earliest.map { max($0, now + Self.granularity) })
    }
}

extension Duration {
    /// The same, as long as it can be waited for: within a century, which stands for "never", and below zero for "long ago".
    ///
    /// A `Duration` holds more seconds than an `Int64` does, and clocks and `components` end the process where one is handed such a
    /// value, or the sum of an instant and a duration becomes one. Every duration that a caller gives comes through here before it
    /// is added to an instant, slept for or taken apart.
    var waitable: Duration { min(max(self, .seconds(-3_155_760_000)), .seconds(3_155_760_000)) }
}

extension Task where Success == Never, Failure == Never {
    /// Sleeps for a duration that a caller gave, however long or short.
    package static func sleep(forGiven duration: Duration) async throws {
        try await sleep(for: duration.waitable)
    }
}
