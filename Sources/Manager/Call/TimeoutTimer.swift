import PatchbayPlatform
import PatchbayRegistry

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
