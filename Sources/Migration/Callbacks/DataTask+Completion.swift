public import Dispatch
public import PatchbayManager
import PatchbayPlatform

extension DataTask {
    /// Calls `completion` once, on the queue, when there is a reply or an error. This function can be called at any
    /// time and any number of times. Completions that were added before the end are put on their queues in the order in
    /// which they were added.
    ///
    /// - Parameters:
    ///   - queue: the queue that runs `completion`.
    ///   - group: entered now, and left after `completion` has returned.
    ///   - completion: called once, with the reply or the error.
    /// - Returns: the task itself, for chaining. This does not start the task.
    @discardableResult
    public func whenDone(
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        _ completion: @escaping @Sendable (Result<Reply<Value>, SessionError>) -> Void
    ) -> DataTask {
        group?.enter()
        let isFirst = handlers.add { [handlers] result in
            queue.async {
                completion(result)
                group?.leave()
                handlers.handlerReturned()
            }
        }
        guard isFirst else { return self }
        Task.detached {
            do throws(SessionError) {
                handlers.callAll(.success(try await reply))
            } catch {
                handlers.callAll(.failure(error))
            }
        }
        return self
    }

    func start(
        on queue: DispatchQueue, _ group: DispatchGroup?, _ success: @escaping @Sendable (Reply<Value>) -> Void,
        _ failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        whenDone(on: queue, group: group) { result in
            switch result {
            case .success(let reply): success(reply)
            case .failure(let error): failure(error)
            }
        }.resume().task
    }
}

/// The completion handlers of one call, in the order in which they were added. The observers are told of the end of the
/// call after the handlers have returned.
final class CompletionHandlers<Value: Sendable>: Sendable {
    typealias Outcome = Result<Reply<Value>, SessionError>

    private struct State {
        var waiting: [@Sendable (Outcome) -> Void] = []
        var isAwaited = false
        /// Set after all waiting handlers were called; a later handler is called at once.
        var outcome: Outcome?
        /// The task of the call; nil before it was made.
        var task: ObjectIdentifier?
        /// The number of handlers that have not returned.
        var running = 0
        /// Tells the observers that the call has ended. Set from the end of the call until the observers are told.
        var teller: (@Sendable () -> Void)?

        mutating func takeTeller() -> (@Sendable () -> Void)? { running == 0 ? teller.take() : nil }
    }

    private let state = Guarded(State())

    /// Returns whether this is the first handler, for which the caller must wait for the end of the call.
    func add(_ handler: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let (outcome, isFirst) = state.withLock { state -> (Outcome?, Bool) in
            state.running += 1
            if let outcome = state.outcome { return (outcome, false) }
            defer { state.isAwaited = true }
            state.waiting.append(handler)
            return (nil, !state.isAwaited)
        }
        if let outcome { handler(outcome) }
        return isFirst
    }

    func handlerReturned() {
        let tell = state.withLock { state in
            state.running -= 1
            return state.takeTeller()
        }
        tell?()
    }

    func belong(to task: SessionTask) { state.withLock { $0.task = ObjectIdentifier(task) } }

    /// Called when the call has ended, or another call of the same request, which has no handlers.
    func callEnded(_ task: SessionTask, _ tell: @escaping @Sendable () -> Void) {
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.task == ObjectIdentifier(task) else { return tell }
            state.teller = tell
            return state.takeTeller()
        }
        tell?()
    }

    func callAll(_ outcome: Outcome) {
        while true {
            let handlers = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.outcome = outcome }
                return state.waiting
            }
            guard !handlers.isEmpty else { return }
            for handler in handlers { handler(outcome) }
        }
    }
}

extension SessionRequest {
    /// Reports progress to these closures on the queue. If a closure is nil, the request keeps its own closure.
    mutating func tell(
        on queue: DispatchQueue, upload: (@Sendable (TransferProgress) -> Void)? = nil,
        download: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        if let upload { onUploadProgress = { progress in queue.async { upload(progress) } } }
        if let download { onDownloadProgress = { progress in queue.async { download(progress) } } }
    }
}
