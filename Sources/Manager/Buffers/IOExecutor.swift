import Dispatch
import PatchbayPlatform
import PatchbayRegistry

/// Runs what may block, on a few threads of its own: neither in a turn of a transport's loop nor on the threads that Swift's
/// tasks share.
///
/// A thread is made when there is work and none is idle, and ends when it has been idle for a moment. There are so many at most:
/// where each of them is held up by a system call that does not return, or by a source that never gives anything, the files of
/// other calls wait, and calls without files do not.
final class IOExecutor: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        /// In the order in which it came.
        var waiting: [Work] = []
        var threads = 0
        /// What wakes the threads that are idle; the one that was busy last is the last.
        var bells: [DispatchSemaphore] = []
    }

    /// What there is to do besides noting that there is work.
    private enum Need {
        case nothing, thread
        case bell(DispatchSemaphore)
    }

    let maximumThreads: Int
    private let idleTime: DispatchTimeInterval
    private let startThread: @Sendable (@escaping Work) -> Bool
    private let state = Guarded(State())

    /// - Parameter startThread: starts a thread; false where the system has none left.
    init(
        maximumThreads: Int = 8, idleTime: DispatchTimeInterval = .seconds(1),
        startThread: @escaping @Sendable (@escaping Work) -> Bool = BackgroundThread.start
    ) {
        self.maximumThreads = max(maximumThreads, 1)
        self.idleTime = idleTime
        self.startThread = startThread
    }

    /// How many threads there are at the moment.
    var threads: Int { state.withLock(\.threads) }

    /// Has the work done soon, beside whatever else there is. Returns at once.
    func enqueue(_ work: @escaping Work) {
        let maximumThreads = maximumThreads
        let need = state.withLock { state -> Need in
            state.waiting.append(work)
            if let bell = state.bells.popLast() { return .bell(bell) }
            guard state.threads < maximumThreads else { return .nothing }
            state.threads += 1
            return .thread
        }
        switch need {
        case .nothing: break
        case .bell(let bell): bell.signal()
        case .thread: if !startThread({ self.serve() }) { doWithout() }
        }
    }

    /// What a thread does. It keeps the executor until it ends.
    private func serve() {
        let bell = DispatchSemaphore(value: 0)
        while true {
            if let work = next(orWait: bell) {
                work()
            } else if bell.wait(timeout: .now() + idleTime) == .timedOut {
                if leave(bell) { return }
                // Rung while it gave up: there is work.
                bell.wait()
            }
        }
    }

    private func next(orWait bell: DispatchSemaphore? = nil) -> Work? {
        state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            if let bell { state.bells.append(bell) }
            return nil
        }
    }

    /// Takes an idle thread off the list; false where it is not idle any more.
    private func leave(_ bell: DispatchSemaphore) -> Bool {
        state.withLock { state in
            guard let index = state.bells.firstIndex(where: { $0 === bell }) else { return false }
            state.bells.remove(at: index)
            state.threads -= 1
            return true
        }
    }

    /// The system has no thread left: those that there are come to the work, and without any a task does it.
    private func doWithout() {
        let isAlone = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        guard isAlone else { return }
        Task.detached { while let work = self.next() { work() } }
    }
}

extension IOExecutor {
    /// Work that is done one after the other, in the order in which it came: that on one file.
    final class SerialQueue: Sendable {
        private struct State {
            var waiting: [Work] = []
            /// Whether the executor knows of it.
            var isBusy = false
        }

        private let executor: IOExecutor
        private let state = Guarded(State())

        init(_ executor: IOExecutor) { self.executor = executor }

        /// Has the work done when all that came before is done. Returns at once.
        func enqueue(_ work: @escaping Work) {
            let starts = state.withLock { state in
                state.waiting.append(work)
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if starts { executor.enqueue { self.doNext() } }
        }

        /// Has the work done when all that came before is done, and waits for what comes of it.
        func run<Value: Sendable, Failure>(
            _ work: @escaping @Sendable () throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            // An unsafe continuation that is resumed twice corrupts memory, and one that never is leaks its task. The queue does each
            // work exactly once: it takes it off the list under the lock, and always comes to the end of the list.
            let result = await withUnsafeContinuation {
                (continuation: UnsafeContinuation<Result<Value, Failure>, Never>) in
                enqueue { continuation.resume(returning: Result(catching: work)) }
            }
            return try result.get()
        }

        private func doNext() {
            let work = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
            work?()
            let goesOn = state.withLock { state in
                state.isBusy = !state.waiting.isEmpty
                return state.isBusy
            }
            // Behind the work on other files.
            if goesOn { executor.enqueue { self.doNext() } }
        }
    }
}
