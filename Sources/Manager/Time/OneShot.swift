import PatchbayPlatform
import PatchbayRegistry

/// A one-time event. Each listener is called exactly one time, whether it was added before or after the event.
public final class OneShot: Sendable {
    private struct State {
        var hasFired = false
        var count = 0
        /// One listener and its number. There is hardly ever a second listener.
        var first: (@Sendable () -> Void)?
        var firstNumber = 0
        /// All listeners except the first, by number, so that one of many is removed quickly.
        var others: [Int: @Sendable () -> Void] = [:]
    }

    /// A listener of a signal, to be removed if its wait ends before the signal fires.
    package struct Listener: Sendable {
        package let signal: OneShot
        /// Nil if the signal had already fired.
        fileprivate let number: Int?

        /// Removes the listener. No effect if the listener was called or is being called.
        package func remove() { if let number { signal.remove(number) } }
    }

    private let state = Guarded(State())
    /// Whether a request body that waits for this signal has more bytes, and waits only for a disk, for a clock or for
    /// its task to be resumed. Such a body is sent to its end even if the response is complete. If false, it is unknown
    /// whether the body has more bytes.
    package let promisesBytes: Bool

    /// A signal that has not fired.
    public init() { promisesBytes = false }

    package init(promisesBytes: Bool) { self.promisesBytes = promisesBytes }

    /// Whether the signal has fired. It never becomes false again.
    public var hasFired: Bool {
        state.withLock(\.hasFired)
    }

    package var listenerCount: Int { state.withLock { ($0.first == nil ? 0 : 1) + $0.others.count } }

    /// Fires the signal. A second call has no effect.
    public func fire() {
        let waiting = state.withLock { state in
            defer { state = State(hasFired: true) }
            return state
        }
        waiting.first?()
        guard !waiting.others.isEmpty else { return }
        for (_, listener) in waiting.others.inOrder(by: { $0.key < $1.key }) { listener() }
    }

    /// Calls `listener` exactly one time: when the signal fires, or immediately if it has fired.
    public func whenFired(_ listener: @escaping @Sendable () -> Void) { _ = listen(listener) }

    /// Calls `listener` like `whenFired`, for a wait that can end before the signal fires. Remove the listener when the
    /// wait ends, because the signal can outlive many waits.
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
        // The continuation must be resumed exactly once; otherwise memory is corrupted or the task leaks. A listener is
        // called either when the signal fires or at once, and never twice: the lock is held while it is added or taken
        // off the list.
        await withUnsafeContinuation { continuation in
            whenFired { continuation.resume() }
        }
    }

    /// Waits for a value, but only until the signal fires. Whichever comes first ends the wait; if it is the signal, the
    /// result is nil.
    /// - Parameter start: begins the work. It gets a closure that ends the wait with a value, and that returns false if
    ///   the wait has already ended. It returns a closure that is called if the signal ends the wait.
    package func race<Value: Sendable>(
        _ start: (_ end: @escaping @Sendable (Value) -> Bool) -> @Sendable () -> Void
    ) async -> Value? {
        // Resuming the continuation twice would corrupt memory. Whoever wants to resume it takes it out of `waiting`
        // under the lock, and everyone after the first finds nil.
        var listener: Listener?
        let value = await withUnsafeContinuation { (continuation: UnsafeContinuation<Value?, Never>) in
            let waiting = Guarded<UnsafeContinuation<Value?, Never>?>(continuation)
            let leave = start { value in
                guard let continuation = waiting.withLock({ $0.take() }) else { return false }
                continuation.resume(returning: value)
                return true
            }
            listener = listen {
                waiting.withLock { $0.take() }?.resume(returning: nil)
                leave()
            }
        }
        listener?.remove()
        return value
    }

    /// Gives the work a signal that fires with this signal, or when the task is cancelled.
    package func orCancelled<Value: Sendable, Failure>(
        _ work: (OneShot) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let either = OneShot()
        let listener = listen { either.fire() }
        defer { listener.remove() }
        return try await withTaskCancellationHandler { () async -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await work(either)) } catch { return .failure(error) }
        } onCancel: {
            either.fire()
        }.get()
    }

    /// Waits for foreign work, but only until the signal fires. When the signal fires first, the work is cancelled, and
    /// the result is nil immediately, even if the work continues.
    package func bounding<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        await race { end in
            let job = Task { _ = end(await work()) }
            // Runs the cancellation handlers of the work, which can be slow: the one timer of a manager must not wait for
            // them.
            return { Task.detached { job.cancel() } }
        }
    }

    /// Waits for work like `bounding`, and returns whether it was done. Not generic: a generic function is not
    /// specialised for other modules.
    package func outlasts(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        await bounding(work) != nil
    }

    /// Waits until this signal or the other one has fired. Cancelling the task does not end the wait.
    public func fired(unless other: OneShot) async {
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
