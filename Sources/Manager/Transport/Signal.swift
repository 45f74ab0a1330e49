import PatchbayRegistry

/// A one-time event: fires once, and whoever asks, before or after, hears of it once.
public final class Signal: Sendable {
    private enum State {
        case waiting([@Sendable () -> Void])
        case fired
    }

    private let state = Guarded<State>(.waiting([]))

    public init() {}

    public var hasFired: Bool {
        state.withLock { if case .fired = $0 { true } else { false } }
    }

    /// Fires; the second time has no effect.
    public func fire() {
        let listeners = state.withLock { state -> [@Sendable () -> Void] in
            guard case .waiting(let listeners) = state else { return [] }
            state = .fired
            return listeners
        }
        for listener in listeners { listener() }
    }

    /// Calls `listener` once: when the signal fires, or now if it has.
    public func whenFired(_ listener: @escaping @Sendable () -> Void) {
        let fired = state.withLock { state -> Bool in
            guard case .waiting(let listeners) = state else { return true }
            state = .waiting(listeners + [listener])
            return false
        }
        if fired { listener() }
    }

    /// Waits until the signal has fired. Cancelling the task does not end the wait.
    public func fired() async {
        await withCheckedContinuation { continuation in
            whenFired { continuation.resume() }
        }
    }

    /// Returns once this signal or the other one has fired.
    func fired(unless other: Signal) async {
        let either = Signal()
        whenFired { either.fire() }
        other.whenFired { either.fire() }
        await either.fired()
    }
}
