import PatchbayRegistry

/// The tasks of one manager that have not ended.
final class TaskList: Sendable {
    private struct State {
        var lastID = 0
        var tasks: [Int: SessionTask] = [:]
        var isClosed = false
    }

    private let state = Guarded(State())
    private let relay: EventRelay?

    init(_ relay: EventRelay?) { self.relay = relay }

    /// A task of its own number; one that comes too late is not listed, and not accepted.
    func make(_ kind: SessionTask.Kind, _ request: HTTPRequest, label: String?) -> SessionTask {
        state.withLock { state in
            state.lastID += 1
            let task = SessionTask(
                id: state.lastID, kind: kind, request, label: label, isAccepted: !state.isClosed, relay: relay)
            if task.isAccepted { state.tasks[task.id] = task }
            task.post(.created)
            return task
        }
    }

    func remove(_ task: SessionTask) {
        let wasLast = state.withLock { state in
            state.tasks.removeValue(forKey: task.id) != nil && state.isClosed && state.tasks.isEmpty
        }
        if wasLast { relay?.post(SessionEvent(task: nil, stage: .invalidated)) }
    }

    /// Accepts no further task. The second time has no effect.
    func close() {
        let isOver = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.tasks.isEmpty
        }
        if isOver { relay?.post(SessionEvent(task: nil, stage: .invalidated)) }
    }

    /// In the order in which they were made.
    var all: [SessionTask] {
        state.withLock { Array($0.tasks.values) }.sorted { $0.id < $1.id }
    }
}
