import PatchbayRegistry

/// The tasks of one manager that have not ended.
final class TaskList: Sendable {
    private struct State {
        var lastID = 0
        var tasks: [Int: SessionTask] = [:]
    }

    private let state = Guarded(State())

    func make(_ kind: SessionTask.Kind, _ request: HTTPRequest, label: String?) -> SessionTask {
        state.withLock { state in
            state.lastID += 1
            let task = SessionTask(id: state.lastID, kind: kind, request, label: label)
            state.tasks[task.id] = task
            return task
        }
    }

    func remove(_ task: SessionTask) {
        state.withLock { $0.tasks[task.id] = nil }
    }

    /// In the order in which they were made.
    var all: [SessionTask] {
        state.withLock { Array($0.tasks.values) }.sorted { $0.id < $1.id }
    }
}
