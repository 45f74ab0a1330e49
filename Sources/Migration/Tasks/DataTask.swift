// Tasks that are made before they are started, as in AFNetworking and Alamofire.

public import PatchbayManager

/// A call that possibly has not been started yet, and its reply.
public struct DataTask<Value: Sendable>: Sendable {
    /// The task, for starting, labelling, observing and cancelling the call.
    public let task: SessionTask
    let call: Task<Reply<Value>, any Error>
    let handlers: CompletionHandlers<Value>

    /// - Parameter hold: makes the call of a request.
    init(
        _ request: SessionRequest, _ hold: (SessionRequest) -> (task: SessionTask, call: Task<Reply<Value>, any Error>)
    ) {
        let handlers = CompletionHandlers<Value>()
        var request = request
        request.added.whenEnded = { handlers.callEnded($0, $1) }
        (task, call) = hold(request)
        handlers.belong(to: task)
        self.handlers = handlers
    }

    /// Waits for the reply. Any number of callers can wait, and all get the same reply.
    ///
    /// Waiting does not start the call, and ending the wait does not cancel the call: use `task` to start and to cancel
    /// it.
    public nonisolated(nonsending) var reply: Reply<Value> {
        get async throws(SessionError) {
            // Awaits `result`: in Swift 6.3.1, a caller that catches an error of a task does not return to its own
            // actor (see `concurrently`).
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
