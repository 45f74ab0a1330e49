import PatchbayPlatform
import PatchbayRegistry

/// A one-time event: fires once, and whoever asks, before or after, hears of it once.
public final class StopSignal: Sendable {
    private struct State {
        var hasFired = false
        /// Who hears of it; hardly ever more than one.
        var first: (@Sendable () -> Void)?
        var others: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())
    /// Whether a request body that waits for it has bytes to give, and waits for a disk, for a clock or for its task to be resumed
    /// only: then it is sent on though the response is complete. Of any other body nobody knows whether there will be more.
    package let promisesBytes: Bool

    /// One that has not fired.
    public init() { promisesBytes = false }

    package init(promisesBytes: Bool) { self.promisesBytes = promisesBytes }

    /// Whether it has fired; that never changes back.
    public var hasFired: Bool {
        state.withLock(\.hasFired)
    }

    /// Fires; the second time has no effect.
    public func fire() {
        let waiting = state.withLock { state in
            defer { state = State(hasFired: true) }
            return state
        }
        waiting.first?()
        for listener in waiting.others { listener() }
    }

    /// Calls `listener` once: when the signal fires, or now if it has.
    public func whenFired(_ listener: @escaping @Sendable () -> Void) {
        let fired = state.withLock { state -> Bool in
            if state.hasFired { return true }
            if state.first == nil { state.first = listener } else { state.others.append(listener) }
            return false
        }
        if fired { listener() }
    }

    /// Waits until the signal has fired. Cancelling the task does not end the wait.
    public func fired() async {
        // Must be resumed exactly once, or memory is corrupted or the task leaks: a listener is called when the signal fires or at
        // once, and taken off the list with the lock held, so by one of the two and never by both.
        await withUnsafeContinuation { continuation in
            whenFired { continuation.resume() }
        }
    }

    /// Waits for work that is not ours, but no longer than until the signal fires: then it is cancelled and left behind, for nil.
    func bounding<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        // The work and the signal race to resume it, and twice would corrupt memory: each has to take it out of the lock first, and
        // the second finds nil.
        await withUnsafeContinuation { continuation in
            let waiting = Guarded<UnsafeContinuation<Value?, Never>?>(continuation)
            let job = Task {
                let value = await work()
                waiting.withLock { $0.take() }?.resume(returning: value)
            }
            whenFired {
                job.cancel()
                waiting.withLock { $0.take() }?.resume(returning: nil)
            }
        }
    }

    /// Returns once this signal or the other one has fired.
    func fired(unless other: StopSignal) async {
        let either = StopSignal()
        whenFired { either.fire() }
        other.whenFired { either.fire() }
        await either.fired()
    }
}

extension StopSignal: CustomStringConvertible, CustomReflectable {
    public var description: String { hasFired ? "fired" : "not fired" }
    public var customMirror: Mirror { Mirror(described: self) }
}
