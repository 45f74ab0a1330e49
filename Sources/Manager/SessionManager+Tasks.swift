import PatchbayRegistry

extension SessionManager {
    /// The tasks that have not ended, oldest first.
    public var tasks: [SessionTask] { taskList.all }

    /// Cancels every task that has not ended.
    public func cancelAll() {
        for task in tasks { task.cancel() }
    }

    /// A call that starts when its task is resumed; it keeps the registry of now.
    ///
    /// It is among `tasks` from now on: one that is never to run has to be cancelled.
    public func task(_ request: HTTPRequest) -> DataTask<any Sendable> {
        let snapshot = registry
        return hold(request) { task throws(SessionError) in try await self.send(task, snapshot) }
    }

    /// A typed call that starts when its task is resumed; it keeps the registry of now.
    public func task<Value: Sendable>(_ request: HTTPRequest, as type: Value.Type) -> DataTask<Value> {
        let snapshot = registry
        return hold(request) { task throws(SessionError) in try await self.send(task, snapshot, as: type) }
    }

    private func hold<Value>(
        _ request: HTTPRequest, _ send: @escaping @Sendable (SessionTask) async throws(SessionError) -> Reply<Value>
    ) -> DataTask<Value> {
        let task = makeTask(.data, request)
        let call = Task<Reply<Value>, any Error> {
            await task.released.fired()
            return try await send(task)
        }
        task.cancelled.whenFired { call.cancel() }
        return DataTask(task: task, call: call)
    }
}
