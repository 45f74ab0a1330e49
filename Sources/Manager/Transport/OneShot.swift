import PatchbayPlatform
import PatchbayRegistry

/// A one-time event: fires once, and whoever asks, before or after, hears of it once.
public final class OneShot: Sendable {
    private struct State {
        var hasFired = false
        var count = 0
        /// Who hears of it, hardly ever more than one, and which of them that is.
        var first: (@Sendable () -> Void)?
        var firstNumber = 0
        /// By their numbers, so that one of many is taken off in no time.
        var others: [Int: @Sendable () -> Void] = [:]
    }

    /// One of those who hear of a signal, to be taken off it where its wait ends before the signal fires.
    package struct Listener: Sendable {
        package let signal: OneShot
        /// Nil where the signal had fired.
        fileprivate let number: Int?

        /// Hears of the signal no more; one that has heard, or hears just now, is not on it any more.
        package func remove() { if let number { signal.remove(number) } }
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

    package var listenerCount: Int { state.withLock { ($0.first == nil ? 0 : 1) + $0.others.count } }

    /// Fires; the second time has no effect.
    public func fire() {
        let waiting = state.withLock { state in
            defer { state = State(hasFired: true) }
            return state
        }
        waiting.first?()
        guard !waiting.others.isEmpty else { return }
        for (_, listener) in waiting.others.sorted(by: { $0.key < $1.key }) { listener() }
    }

    /// Calls `listener` once: when the signal fires, or now if it has.
    public func whenFired(_ listener: @escaping @Sendable () -> Void) { _ = listen(listener) }

    /// The same for a wait that may end before, and takes its listener off the signal then: the signal may outlive many of them.
    package func listen(_ listener: @escaping @Sendable () -> Void) -> Listener {
        let number = state.withLock { state -> Int? in
            if state.hasFired { return nil }
            state.count += 1
            if state.first == nil {
                (state.first, state.firstNumber) = (listener, state.count)
            } else {
                state.others[state.count] = listener
            }
            return state.count
        }
        if number == nil { listener() }
        return Listener(signal: self, number: number)
    }

    private func remove(_ number: Int) {
        state.letGo { state in
            number == state.firstNumber ? state.first.take() : state.others.removeValue(forKey: number)
        }
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
    package func bounding<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        let value = Held<Value>()
        let isOver = await outlasts { value.held.replace(by: await work()) }
        return isOver ? value.held.withLock { $0 } : nil
    }

    /// The same for work that keeps its value itself, and for false. Not generic: a generic function is not specialised for other modules.
    package func outlasts(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        // The work and the signal race to resume it, and twice would corrupt memory: each has to take it out of the lock first, and
        // the second finds nil.
        var listener: Listener?
        let isOver = await withUnsafeContinuation { continuation in
            let waiting = Guarded<UnsafeContinuation<Bool, Never>?>(continuation)
            let job = Task {
                await work()
                waiting.withLock { $0.take() }?.resume(returning: true)
            }
            listener = listen {
                job.cancel()
                waiting.withLock { $0.take() }?.resume(returning: false)
            }
        }
        listener?.remove()
        return isOver
    }

    private final class Held<Value: Sendable>: Sendable {
        let held = Guarded<Value?>(nil)
    }

    /// Returns once this signal or the other one has fired.
    package func fired(unless other: OneShot) async {
        let either = OneShot()
        let listeners = (listen { either.fire() }, other.listen { either.fire() })
        await either.fired()
        listeners.0.remove()
        listeners.1.remove()
    }
}

extension OneShot: CustomStringConvertible {
    public var description: String { hasFired ? "fired" : "not fired" }
}
