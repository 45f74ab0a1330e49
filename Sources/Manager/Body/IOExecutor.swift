package import Dispatch
import PatchbayPlatform
import PatchbayRegistry

/// Runs blocking work on a few threads of its own, not on the threads of a transport or of Swift's tasks.
///
/// A thread starts when work waits and no thread is idle. It ends after `idleTime` without work. The number of threads
/// is limited: if every thread hangs in a system call, or in a source that gives no bytes, the files of other calls
/// wait. Calls without files don't wait. A thread that hangs in work of an ended call counts as lost until the work
/// returns. While all threads are lost, new and waiting work is refused, unless the work has no `refuse` closure.
package final class IOExecutor: Sendable {
    package typealias Work = @Sendable () -> Void

    private struct State {
        /// The work, and the `SerialQueue` that it comes from; nil if it comes from no queue.
        var waiting = Queue<(work: Work, queue: SerialQueue?)>()
        var threads = 0
        /// The number of threads that hang in work that no caller waits for.
        var lost = 0
        /// The semaphores of idle threads; the thread that became idle last is at the end.
        var bells: [DispatchSemaphore] = []
    }

    let maximumThreads: Int
    private let idleTime: DispatchTimeInterval
    private let startThread: @Sendable (@escaping Work) -> Bool
    private let state = Guarded(State())

    /// - Parameter startThread: starts a thread; returns false if the system has no more threads.
    package init(
        maximumThreads: Int = 8, idleTime: DispatchTimeInterval = .seconds(1),
        startThread: @escaping @Sendable (@escaping Work) -> Bool = BackgroundThread.start
    ) {
        self.maximumThreads = max(maximumThreads, 1)
        self.idleTime = idleTime
        self.startThread = startThread
    }

    var threads: Int { state.withLock(\.threads) }

    var isExhausted: Bool { state.withLock { $0.lost >= maximumThreads } }

    /// The reason for refusing work while all threads are lost.
    package var exhaustion: String {
        "all \(maximumThreads) threads for files wait for system calls that do not return"
    }

    /// Adds work, which runs concurrently with other work. Returns at once.
    /// - Parameter queue: the queue whose next work this is; nil if it comes from no queue.
    func enqueue(of queue: SerialQueue? = nil, _ work: @escaping Work) {
        let maximumThreads = maximumThreads
        let (bell, needsThread) = state.withLock { state -> (DispatchSemaphore?, Bool) in
            state.waiting.append((work, queue))
            if let bell = state.bells.popLast() { return (bell, false) }
            guard state.threads < maximumThreads else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        bell?.signal()
        if needsThread, !startThread({ self.serve() }) { doWithout() }
    }

    /// Runs work on a thread, until the thread has been idle for `idleTime`. The thread keeps the executor alive.
    private func serve() {
        let bell = DispatchSemaphore(value: 0)
        while true {
            if let work = next(orWait: bell) {
                work()
            } else if bell.wait(timeout: .now() + idleTime) == .timedOut {
                if leave(bell) { return }
                // Another thread signalled `bell` after the timeout, so there is work.
                bell.wait()
            }
        }
    }

    private func next(orWait bell: DispatchSemaphore? = nil) -> Work? {
        state.withLock { state in
            if let job = state.waiting.popFirst() { return job.work }
            if let bell { state.bells.append(bell) }
            return nil
        }
    }

    /// Removes an idle thread from the list. Returns false if the thread is not idle any more.
    private func leave(_ bell: DispatchSemaphore) -> Bool {
        state.withLock { state in
            guard let index = state.bells.firstIndex(where: { $0 === bell }) else { return false }
            state.bells.remove(at: index)
            state.threads -= 1
            return true
        }
    }

    /// Called when the system has no more threads. The existing threads do the work. If there are none, a task does it.
    private func doWithout() {
        let isAlone = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        guard isAlone else { return }
        Task.detached { while let work = self.next() { work() } }
    }
}

/// Threads that hang in work that no caller waits for.
extension IOExecutor {
    /// Counts one more lost thread. If all threads are lost now, refuses the waiting work.
    func lose() {
        let refusing = state.withLock { state -> [SerialQueue] in
            state.lost += 1
            return state.lost < maximumThreads ? [] : state.waiting.compactMap(\.queue)
        }
        for queue in refusing { queue.refuse() }
    }

    /// A lost thread has returned.
    func regain() { state.withLock { $0.lost -= 1 } }
}
