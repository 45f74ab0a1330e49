import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SessionManager {
    /// The tasks that have not ended, oldest first.
    public var tasks: [SessionTask] { taskList.all }

    /// The tasks of one kind that have not ended, oldest first.
    public func tasks(of kind: SessionTask.Kind) -> [SessionTask] {
        tasks.filter { $0.kind == kind }
    }

    /// Cancels every task that has not ended.
    public func cancelAll() {
        for task in tasks { task.cancel() }
    }

    /// Accepts no further call: each fails with code `invalidated`. The second time has no effect.
    ///
    /// The tasks that have not ended are cancelled or may come to their end. Where the manager is to be used again, `cancelAll()`
    /// is all that it takes.
    public func invalidate(cancellingTasks: Bool) {
        taskList.close()
        if cancellingTasks { cancelAll() }
    }

    /// A call that starts when its task is resumed; it keeps the registry of now.
    ///
    /// It is among `tasks` and keeps its manager from now on, until it has ended: one that is never to run has to be cancelled.
    public func task(_ request: HTTPRequest) -> DataTask<any Sendable> {
        dataTask(.data, request)
    }

    /// A typed call that starts when its task is resumed; it keeps the registry of now.
    public func task<Value: Sendable>(_ request: HTTPRequest, as type: Value.Type) -> DataTask<Value> {
        dataTask(.data, request, as: type)
    }

    /// An upload that starts when its task is resumed; like `task`, but for the total timeout.
    public func uploadTask(_ request: HTTPRequest) -> DataTask<any Sendable> {
        dataTask(.upload, request)
    }

    public func uploadTask<Value: Sendable>(_ request: HTTPRequest, as type: Value.Type) -> DataTask<Value> {
        dataTask(.upload, request, as: type)
    }

    /// A download that starts when its task is resumed; else as `download(_:to:)`.
    public func downloadTask(
        _ request: HTTPRequest, to destination: DownloadDestination = .temporary
    ) -> DataTask<URL> {
        downloadTask(request, FileTarget(destination, isSerialized: false, calls: configuration.fileCalls))
    }

    /// A download that starts when its task is resumed, and is serialized when it is finished.
    public func downloadTask<Value: Sendable>(
        _ request: HTTPRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        downloadTask(request, FileTarget(destination, isSerialized: true, calls: configuration.fileCalls), as: type)
    }

    /// A download that goes on where one broke off when its task is resumed; else as `download(_:resuming:)`.
    public func downloadTask(_ request: HTTPRequest, resuming resumption: DownloadResumption) -> DataTask<URL> {
        downloadTask(request, FileTarget(resuming: resumption, isSerialized: false, calls: configuration.fileCalls))
    }

    public func downloadTask<Value: Sendable>(
        _ request: HTTPRequest, resuming resumption: DownloadResumption, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        downloadTask(
            request, FileTarget(resuming: resumption, isSerialized: true, calls: configuration.fileCalls), as: type)
    }

    private func downloadTask(_ request: HTTPRequest, _ target: FileTarget) -> DataTask<URL> {
        let snapshot = registry
        return hold(.download, request) { task throws(SessionError) in
            try await self.run(task, snapshot, producing: .anything, file: target) { result throws(SessionError) in
                Serialized(try result.saved())
            }.typed()
        }
    }

    private func downloadTask<Value: Sendable>(
        _ request: HTTPRequest, _ target: FileTarget, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        let snapshot = registry
        return hold(.download, request) { task throws(SessionError) in
            try await self.run(task, snapshot, producing: .type(type), file: target) { result throws(SessionError) in
                Serialized(try result.saved(as: type))
            }.typed()
        }
    }

    private func dataTask(_ kind: SessionTask.Kind, _ request: HTTPRequest) -> DataTask<any Sendable> {
        let snapshot = registry
        return hold(kind, request) { task throws(SessionError) in try await self.send(task, snapshot) }
    }

    private func dataTask<Value: Sendable>(
        _ kind: SessionTask.Kind, _ request: HTTPRequest, as type: Value.Type
    ) -> DataTask<Value> {
        let snapshot = registry
        return hold(kind, request) { task throws(SessionError) in try await self.send(task, snapshot, as: type) }
    }

    private func hold<Value>(
        _ kind: SessionTask.Kind, _ request: HTTPRequest,
        _ send: @escaping @Sendable (SessionTask) async throws(SessionError) -> Reply<Value>
    ) -> DataTask<Value> {
        let task = makeTask(kind, request)
        let call = Task<Reply<Value>, any Error> {
            // One that is refused has nothing to wait for.
            if task.isAccepted { await task.proceed() }
            return try await send(task)
        }
        task.whenCancelled { call.cancel() }
        return DataTask(task: task, call: call)
    }
}
