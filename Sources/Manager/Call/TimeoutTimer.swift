import PatchbayRegistry

/// Watches the timeouts of every call of one manager with a single sleeping task.
///
/// A call costs one insertion and one removal. The task sleeps until the earliest known deadline; bytes that moved meanwhile
/// only make it sleep again.
final class TimeoutTimer: Sendable {
    private struct State {
        var calls: [ObjectIdentifier: Timeouts] = [:]
        /// When the sleeping task wakes; nil where none sleeps.
        var wake: ContinuousClock.Instant?
    }

    /// Two sweeps are at least this far apart, so that many close deadlines cost one sweep.
    private static let granularity = Duration.milliseconds(5)
    private let state = Guarded(State())

    /// Ends what the call does when its next timeout runs out; again for each step of it.
    func watch(_ timeouts: Timeouts) {
        guard let deadline = timeouts.deadline else { return }
        let mustSleep = state.withLock { state in
            state.calls[ObjectIdentifier(timeouts)] = timeouts
            guard state.wake.map({ deadline < $0 }) ?? true else { return false }
            state.wake = deadline
            return true
        }
        if mustSleep { sleep(until: deadline) }
    }

    /// The call is over.
    func forget(_ timeouts: Timeouts) {
        _ = state.withLock { $0.calls.removeValue(forKey: ObjectIdentifier(timeouts)) }
    }

    /// Ends what has run out of time at an instant.
    func check(at instant: ContinuousClock.Instant) {
        for timeouts in state.withLock({ Array($0.calls.values) }) { timeouts.check(instant) }
    }

    var count: Int { state.withLock { $0.calls.count } }

    private func sleep(until instant: ContinuousClock.Instant) {
        Task.detached { [weak self] in
            try? await ContinuousClock().sleep(until: instant, tolerance: .zero)
            self?.sweep(wokenAt: instant)
        }
    }

    private func sweep(wokenAt instant: ContinuousClock.Instant) {
        // A task that an earlier deadline has overtaken finds another wake-up noted, and leaves it alone.
        state.withLock { state in if state.wake == instant { state.wake = nil } }
        let now = ContinuousClock.now
        check(at: now)
        let next = state.withLock { state -> ContinuousClock.Instant? in
            state.calls = state.calls.filter { $0.value.ended == nil }
            guard let earliest = state.calls.values.compactMap(\.deadline).min() else { return nil }
            let wake = max(earliest, now + Self.granularity)
            guard state.wake.map({ wake < $0 }) ?? true else { return nil }
            state.wake = wake
            return wake
        }
        if let next { sleep(until: next) }
    }
}
