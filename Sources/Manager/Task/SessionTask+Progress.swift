/// How far the bodies of a call are.
///
/// Within one try the counts only grow. A redirect or a retry that sends or fetches a body again starts from 0.
extension SessionTask {
    /// How much of the request's body has been sent.
    public var uploadProgress: TransferProgress { upload.progress }

    /// How much of the response's body has arrived.
    public var downloadProgress: TransferProgress { download.progress }

    /// The upload's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var uploadProgressUpdates: AsyncStream<TransferProgress> { upload.updates }

    /// The download's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var downloadProgressUpdates: AsyncStream<TransferProgress> { download.updates }

    /// Lets the closures of the request hear of the progress, each in a task of its own that ends with the call.
    func startTellingProgress() -> [Task<Void, Never>] {
        [(upload, request.onUploadProgress), (download, request.onDownloadProgress)].compactMap { meter, tell in
            guard let tell else { return nil }
            return Task { for await progress in meter.updates { tell(progress) } }
        }
    }
}
