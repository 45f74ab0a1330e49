// Tasks that are made before they are started, as in AFNetworking and Alamofire.

public import PatchbayManager

/// A call that possibly has not been started yet, and its reply.
public struct DataTask<Value: Sendable>: Sendable {
    /// The task, for starting, labelling, observing and cancelling the call.
    public let task: SessionTask
    let call: Task<Reply<Value>, any Error>

    init(_ held: (task: SessionTask, call: Task<Reply<Value>, any Error>)) { (task, call) = held }

    /// The reply, once there is one. Any number of callers can wait for the reply, and all get the same reply.
    ///
    /// Waiting does not start the call, and the end of waiting does not cancel the call: use `task` for both.
    public nonisolated(nonsending) var reply: Reply<Value> {
        get async throws(SessionError) {
            // Awaits `result`: in Swift 6.3.1, an error that a task throws takes its reader off its actor
            // (`concurrently`).
            switch await call.result {
            case .success(let reply): return reply
            case .failure(let error as SessionError): throw error
            // Never happens: the call throws only `SessionError`, but the type of a task cannot express that.
            case .failure(let error): throw SessionError(.cancelled, reason: "the call was cancelled", cause: error)
            }
        }
    }

    /// Starts the call, and returns this `DataTask` for chaining.
    @discardableResult
    public func resume() -> DataTask {
        task.resume()
        return self
    }

    /// Cancels the call.
    public func cancel() { task.cancel() }
}

extension DataTask: CustomStringConvertible, CustomReflectable {
    /// The description of `task`.
    public var description: String { task.description }
    public var customMirror: Mirror { Mirror(self, children: ["task": task], displayStyle: .struct) }
}
