// Tasks that are made before they are begun, as AFNetworking and Alamofire have them.

public import PatchbayManager

/// A call that has been made but need not have been started, and its reply.
public struct DataTask<Value: Sendable>: Sendable {
    /// To start it, label it, watch it, cancel it.
    public let task: SessionTask
    let call: Task<Reply<Value>, any Error>

    init(_ held: (task: SessionTask, call: Task<Reply<Value>, any Error>)) { (task, call) = held }

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
            case .failure(let error): throw SessionError(.cancelled, reason: "the call was cancelled", cause: error)
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

extension DataTask: CustomStringConvertible, CustomReflectable {
    /// That of the task.
    public var description: String { task.description }
    public var customMirror: Mirror { Mirror(self, children: ["task": task], displayStyle: .struct) }
}
