package import PatchbayRegistry

extension SessionManager {
    /// The tasks that have not ended, oldest first.
    public var tasks: [SessionTask] { taskList.all }

    /// Cancels every task that has not ended.
    public func cancelAll() {
        for task in tasks { task.cancel() }
    }

    /// Accepts no further calls: each later call fails with code `invalidated`. A second invalidation has no effect.
    ///
    /// To use the manager again, call `cancelAll()` instead.
    /// - Parameter cancellingTasks: whether the tasks that have not ended are cancelled. If false, they run to their
    ///   end.
    public func invalidate(cancellingTasks: Bool = true) {
        taskList.close()
        if cancellingTasks { cancelAll() }
    }

    /// Makes a call in a task of its own. The call waits for `begin()` of its `SessionTask`, and uses the registry that
    /// is current now.
    /// - Parameters:
    ///   - destination: the file for the body; if nil, the body goes into memory.
    ///   - isSerialized: whether a value is made of the finished file.
    package func hold<Value: Sendable>(
        _ kind: SessionTask.Kind, _ request: SessionRequest, producing wanted: WantedValue,
        to destination: DownloadDestination? = nil, isSerialized: Bool = false,
        _ typed: @escaping @Sendable (Reply<any Sendable>) -> Reply<Value>
    ) -> (task: SessionTask, call: Task<Reply<Value>, any Error>) {
        let file = destination.map { self.file(to: $0, isSerialized: isSerialized) }
        let call = makeCall(kind, request, producing: wanted, into: file)
        let task = call.task
        let running = Task<Reply<Value>, any Error> {
            // A task that was not accepted does not wait.
            if task.isAccepted { await task.proceed() }
            return typed(try await call.reply())
        }
        task.whenCancelled { running.cancel() }
        return (task: task, call: running)
    }
}
