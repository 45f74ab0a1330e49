public import Dispatch
public import PatchbayManager

extension DataTask {
    /// Calls `completion` once, on the queue, when there is a reply or an error. This function can be called at any
    /// time and any number of times.
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
        let isAwaited = task.expectHandler()
        Task.detached {
            let result: Result<Reply<Value>, SessionError>
            do throws(SessionError) {
                result = .success(try await reply)
            } catch {
                result = .failure(error)
            }
            queue.async {
                completion(result)
                group?.leave()
                if isAwaited { task.handlerReturned() }
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
