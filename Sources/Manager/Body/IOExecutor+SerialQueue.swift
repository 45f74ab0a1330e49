import PatchbayPlatform
import PatchbayRegistry

extension IOExecutor {
    package enum Ending<Value: Sendable>: Sendable {
        case done(Value)
        /// The work was refused, because all threads of the executor are lost.
        case refused
        /// The signal that limits the wait fired before the work was done. The work is done later, or never.
        case left
    }

    /// A queue for the work on one file. The work is done in order, one piece at a time.
    package final class SerialQueue: Sendable {
        /// The time after which a system call counts as hanging.
        package static let patience = Duration.seconds(2)

        private struct State {
            /// The work. `refuse` is called if all threads are lost before the work begins; nil if the work can wait for
            /// ever. `isKept` tells whether refused work is still done when a lost thread returns.
            var waiting = Queue<(work: Work, refuse: Work?, isKept: Bool)>()
            /// Whether the executor has this queue in its list, or runs its work.
            var isBusy = false
            /// The start of the running system call; nil if none runs.
            var since: Moment?
            var isAbandoned = false
            var isWatched = false
            /// Whether the thread that runs the work of this queue counts as lost.
            var isLost = false
        }

        package let executor: IOExecutor
        private let patience: Duration
        private let state = Guarded(State())

        package init(_ executor: IOExecutor, patience: Duration = patience) {
            (self.executor, self.patience) = (executor, patience)
        }

        /// The start of the running system call; nil if none runs.
        var since: Moment? { state.withLock(\.since) }

        /// Whether no caller waits for the work of this queue any more.
        var isAbandoned: Bool { state.withLock(\.isAbandoned) }

        var isIdle: Bool { state.withLock { $0.since == nil && $0.waiting.isEmpty } }

        /// Adds work, to be done after all earlier work. Returns at once.
        /// - Parameters:
        ///   - refuse: called instead of the work, later and on another thread, if all threads are lost. If `refuse` is
        ///     nil, the work waits until a lost thread returns.
        ///   - isKept: whether refused work is still done when a lost thread returns.
        package func enqueue(_ work: @escaping Work, orRefuse refuse: Work? = nil, isKept: Bool = false) {
            let starts = state.withLock { state in
                state.waiting.append((work, refuse, isKept))
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if starts { executor.enqueue(of: self, doNext) }
            // In a task, because the caller can hold a lock that `refuse` needs.
            if refuse != nil, executor.isExhausted { Task.detached { self.refuse() } }
        }

        /// Adds work and waits for its result, at most until the signal fires or all threads are lost.
        /// - Parameters:
        ///   - isKept: whether refused work is still done when a lost thread returns.
        ///   - late: gets the result of the work if the wait has already ended. Runs before the next work begins.
        package func run<Value: Sendable>(
            until limit: OneShot, isKept: Bool = false, _ work: @escaping @Sendable () -> Value,
            late: @escaping @Sendable (Value) -> Void = { _ in }
        ) async -> Ending<Value> {
            await limit.race { end in
                enqueue(
                    {
                        let value = work()
                        if !end(.done(value)) { late(value) }
                    }, orRefuse: { _ = end(.refused) }, isKept: isKept)
                return {}
            } ?? .left
        }

        /// Called when a part of the running work is done: the time until the work counts as hung starts again.
        func noteProgress() {
            state.withLock { state in
                if state.since != nil { state.since = .now }
            }
        }

        /// Called when no caller waits for the work any more. If a system call hangs, its thread then counts as lost.
        package func abandon() {
            state.withLock { $0.isAbandoned = true }
            watch()
        }

        /// Counts the thread of an abandoned queue as lost when its system call has taken too long.
        private func watch() {
            let (isLost, later) = state.withLock { state -> (Bool, Moment?) in
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
                try? await Task.sleep(until: later.instant, clock: .continuous)
                self.state.withLock { $0.isWatched = false }
                self.watch()
            }
        }

        /// Refuses the waiting work, except work without `refuse`. Work with `isKept` is refused, but still done when a
        /// lost thread returns.
        func refuse() {
            let refused = state.withLock { state in
                let waiting = state.waiting
                state.waiting = Queue(
                    waiting.compactMap { item in
                        guard item.refuse != nil else { return item }
                        return item.isKept ? (item.work, nil, true) : nil
                    })
                return waiting
            }
            for item in refused { item.refuse?() }
        }

        func doNext() {
            let item = state.withLock { state in
                let item = state.waiting.popFirst()
                if item != nil { state.since = .now }
                return item
            }
            watch()
            item?.work()
            let (goesOn, wasLost) = state.withLock { state in
                defer { (state.since, state.isLost) = (nil, false) }
                state.isBusy = !state.waiting.isEmpty
                return (state.isBusy, state.isLost)
            }
            if wasLost { executor.regain() }
            // The next work of this queue runs after the waiting work of other queues.
            if goesOn { executor.enqueue(of: self, doNext) }
        }
    }
}
