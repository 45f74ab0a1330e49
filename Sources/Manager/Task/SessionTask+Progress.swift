import PatchbayPlatform
import PatchbayRegistry

/// How far the bodies of a call are.
///
/// Within one try the counts only grow. A redirect or a retry that sends or fetches a body again starts from 0.
extension SessionTask {
    /// How much of the request's body has been sent.
    public var uploadProgress: TransferProgress { upload.progress }

    /// How much of the response's body has arrived.
    public var downloadProgress: TransferProgress { download.progress }

    /// The upload's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var uploadProgressUpdates: AsyncStream<TransferProgress> {
        let seen = Guarded(-1)
        return AsyncStream { await self.upload.next(after: seen) }
    }

    /// The download's progress now and after each change, until the call ends; a reader that is slow misses what is in between.
    public var downloadProgressUpdates: AsyncStream<TransferProgress> {
        let seen = Guarded(-1)
        return AsyncStream { await self.download.next(after: seen) }
    }

    /// Lets the closures of the request hear of the progress, each in a task of its own that ends with the call.
    func startTellingProgress() -> [Task<Void, Never>] {
        var tellers: [Task<Void, Never>] = []
        if let tell = request.onUploadProgress {
            tellers.append(Task { for await progress in uploadProgressUpdates { tell(progress) } })
        }
        if let tell = request.onDownloadProgress {
            tellers.append(Task { for await progress in downloadProgressUpdates { tell(progress) } })
        }
        return tellers
    }
}
