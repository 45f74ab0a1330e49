import PatchbayPlatform
import PatchbayRegistry

extension IOExecutor {
    enum Ending<Value: Sendable>: Sendable {
        case done(Value)
        /// All threads are lost.
        case refused
        /// The one who waited was told to leave; the work is done some time, or never.
        case left
    }

    /// Work that is done one after the other, in the order in which it came: that on one file.
    final class SerialQueue: Sendable {
        /// How long a system call takes at least that is said to hang.
        static let patience = Duration.seconds(2)

        private struct Item: Sendable {
            let work: Work
            /// Called where all threads are lost before the work is begun; nil where it can wait for ever.
            var refuse: Work?
            /// Whether it is done all the same when a thread returns.
            let isKept: Bool
        }

        private struct State {
            var waiting: [Item] = []
            /// Whether the executor knows of it.
            var isBusy = false
            /// When the system call that is under way began; nil where none is.
            var since: ContinuousClock.Instant?
            var isAbandoned = false
            var isWatched = false
            /// Whether its thread is counted as lost.
            var isLost = false
        }

        let executor: IOExecutor
        private let patience: Duration
        private let state = Guarded(State())

        init(_ executor: IOExecutor, patience: Duration = patience) {
            (self.executor, self.patience) = (executor, patience)
        }

        /// When the system call that is under way began; nil where none is.
        var since: ContinuousClock.Instant? { state.withLock(\.since) }

        var isIdle: Bool { state.withLock { $0.since == nil && $0.waiting.isEmpty } }

        /// Has the work done when all that came before is done. Returns at once.
        /// - Parameters:
        ///   - refuse: called instead, later and on another thread, where all threads are lost; nil: the work waits until one returns.
        ///   - isKept: whether the work is done then all the same, when a thread returns.
        func enqueue(_ work: @escaping Work, orRefuse refuse: Work? = nil, isKept: Bool = false) {
            let starts = state.withLock { state in
                state.waiting.append(Item(work: work, refuse: refuse, isKept: isKept))
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if starts { executor.enqueue(self) }
            // By a task: whoever asks may hold a lock that the refusal needs.
            if refuse != nil, executor.isExhausted { Task.detached { self.refuse() } }
        }

        /// Has the work done when all that came before is done, and waits for what comes of it, but no longer than until the signal
        /// fires or all threads are lost.
        /// - Parameters:
        ///   - isKept: whether the work is done where it was refused, when a thread returns.
        ///   - late: takes what came of it when nobody waited any more, before the next work is begun.
        func run<Value: Sendable>(
            until limit: OneShot, isKept: Bool = false, _ work: @escaping @Sendable () -> Value,
            late: @escaping @Sendable (Value) -> Void = { _ in }
        ) async -> Ending<Value> {
            // The work, its refusal and the signal race to resume it, and twice would corrupt memory: each has to take it out of the
            // lock first, and those who come after find nil. The signal that is to fire, or the work, always comes.
            var listener: OneShot.Listener?
            let ending = await withUnsafeContinuation { (continuation: UnsafeContinuation<Ending<Value>, Never>) in
                let waiting = Guarded<UnsafeContinuation<Ending<Value>, Never>?>(continuation)
                enqueue(
                    {
                        let value = work()
                        guard let waiting = waiting.withLock({ $0.take() }) else { return late(value) }
                        waiting.resume(returning: .done(value))
                    }, orRefuse: { waiting.withLock { $0.take() }?.resume(returning: .refused) },
                    isKept: isKept)
                listener = limit.listen { waiting.withLock { $0.take() }?.resume(returning: .left) }
            }
            listener?.remove()
            return ending
        }

        func goOn() {
            state.withLock { state in
                if state.since != nil { state.since = .now }
            }
        }

        /// Nobody waits any more for what is under way or comes yet. While it hangs, its thread is lost.
        func abandon() {
            state.withLock { $0.isAbandoned = true }
            watch()
        }

        /// Says that the thread is lost once the system call has taken so long.
        private func watch() {
            let (isLost, later) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
                guard state.isAbandoned, !state.isWatched, !state.isLost, let since = state.since else {
                    return (false, nil)
                }
                let end = since + patience
                state.isLost = end <= .now
                state.isWatched = !state.isLost
                return state.isLost ? (true, nil) : (false, end)
            }
            if isLost { executor.lose() }
            guard let later else { return }
            Task.detached {
                try? await Task.sleep(until: later, clock: .continuous)
                self.state.withLock { $0.isWatched = false }
                self.watch()
            }
        }

        /// Refuses what waits, but for what has to be done.
        func refuse() {
            let refused = state.withLock { state in
                let waiting = state.waiting
                state.waiting = waiting.compactMap { item in
                    guard item.refuse != nil else { return item }
                    return item.isKept ? Item(work: item.work, isKept: true) : nil
                }
                return waiting
            }
            for item in refused { item.refuse?() }
        }

        func doNext() {
            let item = state.withLock { state -> Item? in
                guard !state.waiting.isEmpty else { return nil }
                state.since = .now
                return state.waiting.removeFirst()
            }
            watch()
            item?.work()
            let (goesOn, wasLost) = state.withLock { state in
                defer { (state.since, state.isLost) = (nil, false) }
                state.isBusy = !state.waiting.isEmpty
                return (state.isBusy, state.isLost)
            }
            if wasLost { executor.regain() }
            // Behind the work on other files.
            if goesOn { executor.enqueue(self) }
        }
    }
}
