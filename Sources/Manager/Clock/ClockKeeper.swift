import PatchbayRegistry

/// Watches the clocks of every call of one manager with a single sleeping task.
///
/// A call costs one insertion and one removal. The task sleeps until the earliest known deadline; bytes that moved meanwhile
/// only make it sleep again.
final class ClockKeeper: Sendable {
    private struct State {
        var clocks: [ObjectIdentifier: ExchangeClock] = [:]
        /// When the sleeping task wakes; nil where none sleeps.
        var wake: ContinuousClock.Instant?
    }

    /// Two sweeps are at least this far apart, so that many close deadlines cost one sweep.
    private static let granularity = Duration.milliseconds(5)
    private let state = Guarded(State())

    func watch(_ clock: ExchangeClock) {
        guard let deadline = clock.deadline else { return }
        let mustSleep = state.withLock { state in
            state.clocks[ObjectIdentifier(clock)] = clock
            guard state.wake.map({ deadline < $0 }) ?? true else { return false }
            state.wake = deadline
            return true
        }
        if mustSleep { sleep(until: deadline) }
    }

    func forget(_ clock: ExchangeClock) {
        state.withLock { $0.clocks[ObjectIdentifier(clock)] = nil }
    }

    /// Ends the calls whose clocks have run out at an instant.
    func check(at instant: ContinuousClock.Instant) {
        for clock in state.withLock({ Array($0.clocks.values) }) { clock.check(instant) }
    }

    var count: Int { state.withLock { $0.clocks.count } }

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
            state.clocks = state.clocks.filter { $0.value.ended == nil }
            guard let earliest = state.clocks.values.compactMap(\.deadline).min() else { return nil }
            let wake = max(earliest, now + Self.granularity)
            guard state.wake.map({ wake < $0 }) ?? true else { return nil }
            state.wake = wake
            return wake
        }
        if let next { sleep(until: next) }
    }
}
