import Dispatch
import PatchbayPlatform
import PatchbayRegistry

/// Runs what may block, on a few threads of its own: neither in a turn of a transport's loop nor on the threads that Swift's
/// tasks share.
///
/// A thread is made when there is work and none is idle, and ends when it has been idle for a moment. There are so many at most:
/// where each of them is held up by a system call that does not return, or by a source that never gives anything, the files of
/// other calls wait, and calls without files do not. A thread that is held up by work of a call that has ended is lost until it
/// returns. While all of them are lost, what comes or waits is refused, unless it has to be done whenever it can.
final class IOExecutor: Sendable {
    typealias Work = @Sendable () -> Void

    /// Work, and the queue that it comes from, which can refuse what waits in it.
    private struct Job {
        let work: Work
        var queue: SerialQueue?
    }

    private struct State {
        /// In the order in which it came.
        var waiting: [Job] = []
        var threads = 0
        /// How many threads are held up by work that nobody waits for any more.
        var lost = 0
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

    var threads: Int { state.withLock(\.threads) }

    var isExhausted: Bool { state.withLock { $0.lost >= maximumThreads } }

    /// Why work is refused while they are.
    var exhaustion: String {
        "all \(maximumThreads) threads for files wait for system calls that do not return"
    }

    /// Has the work done soon, beside whatever else there is. Returns at once.
    func enqueue(_ work: @escaping Work) { enqueue(Job(work: work)) }

    /// The same for the next work of a queue.
    func enqueue(_ queue: SerialQueue) { enqueue(Job(work: queue.doNext, queue: queue)) }

    private func enqueue(_ job: Job) {
        let maximumThreads = maximumThreads
        let need = state.withLock { state -> Need in
            state.waiting.append(job)
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
            if !state.waiting.isEmpty { return state.waiting.removeFirst().work }
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

/// Threads that are held up by what nobody waits for any more.
extension IOExecutor {
    /// One more is lost. Where it was the last, what waits is refused.
    func lose() {
        let refusing = state.withLock { state -> [SerialQueue] in
            state.lost += 1
            return state.lost < maximumThreads ? [] : state.waiting.compactMap(\.queue)
        }
        for queue in refusing { queue.refuse() }
    }

    /// One of them has returned.
    func regain() { state.withLock { $0.lost -= 1 } }
}
