import Dispatch

extension SessionRequest {
    /// Lets these closures hear of the progress on the queue; one that is nil leaves the request's own.
    mutating func tell(
        on queue: DispatchQueue, upload: (@Sendable (TransferProgress) -> Void)? = nil,
        download: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        if let upload { onUploadProgress = { progress in queue.async { upload(progress) } } }
        if let download { onDownloadProgress = { progress in queue.async { download(progress) } } }
    }
}
