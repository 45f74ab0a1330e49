import PatchbayPlatform
import PatchbayRegistry

/// The tasks of one manager that have not ended.
final class TaskList: Sendable {
    private struct State {
        var lastID = 0
        var tasks: [Int: SessionTask] = [:]
        /// The number of tasks, running or ended, that have not been reported as `finished`. Counted only if there are
        /// observers.
        var untold = 0
        var isClosed = false
        /// The signals that fire when no task is left.
        var waiting: [OneShot] = []

        var isOver: Bool { isClosed && untold == 0 }
    }

    private let state = Guarded(State())
    private let relay: EventRelay?
    private let maskedPathSegments: Set<String>

    init(_ relay: EventRelay?, maskedPathSegments: Set<String>) {
        self.relay = relay
        self.maskedPathSegments = maskedPathSegments
    }

    /// Makes a task with a new id. A task made after `close()` is not listed and not accepted.
    func make(_ kind: SessionTask.Kind, _ request: SessionRequest, label: String?) -> SessionTask {
        let (task, note) = state.withLock { state -> (SessionTask, EventRelay.Note?) in
            state.lastID += 1
            let task = SessionTask(
                id: state.lastID, kind: kind, request, label: label, isAccepted: !state.isClosed, relay: relay,
                maskedPathSegments: maskedPathSegments)
            if task.isAccepted { state.tasks[task.id] = task }
            if task.isAccepted, relay != nil { state.untold += 1 }
            // With the lock held, so that no other thread can find the task and post about it before this event.
            return (task, relay?.note(SessionEvent(task: task, SessionTask.Wire(), stage: .created)))
        }
        note?.tell()
        return task
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Removes a task that has ended, and tells the observers after its completion handlers have returned.
    func remove(_ task: SessionTask, endingIn outcome: Result<Reply<any Sendable>, SessionError>) {
        var waiting: [OneShot] = []
        state.letGo { state in
            let removed = state.tasks.removeValue(forKey: task.id)
            if state.tasks.isEmpty { (waiting, state.waiting) = (state.waiting, []) }
            return removed
        }
        for signal in waiting { signal.fire() }
        guard let relay else { return }
        task.afterHandlers {
            relay.post(SessionEvent(task: task, finished: outcome))
            let wasLast = self.state.withLock { state in
                guard task.isAccepted else { return false }
                state.untold -= 1
                return state.isOver
            }
            if wasLast { relay.post(SessionEvent(task: nil, stage: .invalidated)) }
        }
    }

    /// Accepts no further tasks. A second call has no effect.
    func close() {
        let isOver = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.isOver
        }
        if isOver { relay?.post(SessionEvent(task: nil, stage: .invalidated)) }
    }

    /// A signal that fires when no task is left.
    func whenEmpty() -> OneShot {
        let signal = OneShot()
        let isEmpty = state.withLock { state in
            if !state.tasks.isEmpty { state.waiting.append(signal) }
            return state.tasks.isEmpty
        }
        if isEmpty { signal.fire() }
        return signal
    }

    /// The timeouts of the calls that have begun, in no order.
    var timeouts: [Timeouts] {
        state.withLock { Array($0.tasks.values) }.compactMap { $0.life.withLock(\.timeouts) }
    }

    var all: [SessionTask] {
        state.withLock { Array($0.tasks.values) }.inOrder { $0.id < $1.id }
    }
}
