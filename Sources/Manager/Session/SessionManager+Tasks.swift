public import PatchbayPlatform
import PatchbayRegistry

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
    public func task(_ request: SessionRequest) -> DataTask<any Sendable> {
        hold(makeCall(.data, request, producing: .anything))
    }

    /// A typed call that starts when its task is resumed; it keeps the registry of now.
    public func task<Value: Sendable>(_ request: SessionRequest, as type: Value.Type) -> DataTask<Value> {
        hold(makeCall(.data, request, producing: .type(type)))
    }

    /// An upload that starts when its task is resumed; like `task`, but for the total timeout.
    public func uploadTask(_ request: SessionRequest) -> DataTask<any Sendable> {
        hold(makeCall(.upload, request, producing: .anything))
    }

    /// A typed upload that starts when its task is resumed.
    public func uploadTask<Value: Sendable>(_ request: SessionRequest, as type: Value.Type) -> DataTask<Value> {
        hold(makeCall(.upload, request, producing: .type(type)))
    }

    /// A download that starts when its task is resumed; else as `download(_:to:)`.
    public func downloadTask(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) -> DataTask<URL> {
        hold(makeCall(.download, request, producing: .anything, into: file(to: destination)))
    }

    /// A download that starts when its task is resumed, and is serialized when it is finished.
    public func downloadTask<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        let file = file(to: destination, isSerialized: true)
        return hold(makeCall(.download, request, producing: .type(type), into: file))
    }

    /// A download that goes on where one broke off when its task is resumed; else as `download(_:to:)`.
    public func downloadTask(_ request: SessionRequest, resuming resumption: DownloadResumption) -> DataTask<URL> {
        hold(makeCall(.download, request, producing: .anything, into: file(to: .resuming(resumption))))
    }

    /// A download that goes on when its task is resumed, and is serialized, all of it, when it is finished.
    public func downloadTask<Value: Sendable>(
        _ request: SessionRequest, resuming resumption: DownloadResumption, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        let file = file(to: .resuming(resumption), isSerialized: true)
        return hold(makeCall(.download, request, producing: .type(type), into: file))
    }

    /// The call in a task of its own, which waits to be started.
    private func hold<Value>(_ call: Call) -> DataTask<Value> {
        let task = call.task
        let running = Task<Reply<Value>, any Error> {
            // One that is refused has nothing to wait for.
            if task.isAccepted { await task.proceed() }
            return try await call.reply().typed()
        }
        task.whenCancelled { running.cancel() }
        return DataTask(task: task, call: running)
    }
}

/// A call that has been made but need not have been started, and its reply.
public struct DataTask<Value: Sendable>: Sendable {
    /// To start it, label it, watch it, cancel it.
    public let task: SessionTask
    let call: Task<Reply<Value>, any Error>

    /// The reply, once there is one; any number of callers may wait for it, and it is the same for all.
    ///
    /// Waiting does not start the call, and giving up waiting does not cancel it: that is what `task` is for.
    public nonisolated(nonsending) var reply: Reply<Value> {
        get async throws(SessionError) {
            // As a result: what is thrown by a task takes its reader off its actor in Swift 6.3.1 (`concurrently`).
            switch await call.result {
            case .success(let reply): return reply
            case .failure(let error as SessionError): throw error
            // The call throws nothing else; the type of a task's error cannot say so.
            case .failure(let error): throw SessionError(.cancelled, "the call was cancelled", cause: error)
            }
        }
    }

    /// Starts the call; the same task, for chaining.
    @discardableResult
    public func resume() -> DataTask {
        task.resume()
        return self
    }

    /// Ends the call as cancelled.
    public func cancel() { task.cancel() }
}
