import PatchbayPlatform
import PatchbayRegistry

/// The number of bytes of a body that were sent or have arrived, and the total number.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes that were sent or have arrived. For an upload, the bytes that were passed to the network.
    /// For a download, the bytes of an acceptable response that have arrived, after content decoding, and those that a
    /// resumed file already had.
    public internal(set) var completedBytes: Int64
    /// The total number of bytes; nil if it is unknown. For an upload, the length of the content. For a download, the
    /// Content-Length of a response without a content coding; for a resumed download, the length of the whole file. If the
    /// total was unknown, it becomes the final number of bytes when the call has succeeded.
    public internal(set) var totalBytes: Int64?
    /// Whether the call has succeeded.
    public internal(set) var isFinished: Bool

    /// Creates a progress with the given values. A task makes its progress itself.
    public init(completedBytes: Int64 = 0, totalBytes: Int64? = nil, isFinished: Bool = false) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.isFinished = isFinished
    }

    /// The completed share, from 0 to 1, and exactly 1 when the call has succeeded; nil if the total is unknown.
    public var fractionCompleted: Double? {
        if isFinished { return 1 }
        guard let totalBytes, totalBytes > 0 else { return nil }
        return min(Double(completedBytes) / Double(totalBytes), 1)
    }
}

extension TransferProgress: CustomStringConvertible {
    /// `5,000 of 10,000 bytes`, or `5,000 bytes` if the total is unknown; with `finished` after the call has succeeded.
    public var description: String {
        let amount = totalBytes.map { "\(ByteCount.grouped(completedBytes)) of \(ByteCount($0))" }
        return (amount ?? "\(ByteCount(completedBytes))") + (isFinished ? ", finished" : "")
    }
}

extension TransferProgress {
    /// The progress before a request is sent: the bytes that a resumed file already has count as completed.
    init(resuming resumption: DownloadResumption?) {
        self.init(
            completedBytes: Int64(resumption?.start ?? 0), totalBytes: resumption?.expectedBytes.map(Int64.init))
    }

    mutating func add(_ count: Int) {
        let (sum, overflows) = completedBytes.addingReportingOverflow(Int64(clamping: count))
        completedBytes = overflows ? .max : sum
    }

    mutating func finish() { (isFinished, totalBytes) = (true, totalBytes ?? completedBytes) }
}

/// The progress of the bodies of a call.
///
/// The counts only grow, except if a redirect or a retry sends or fetches bytes again. The body of an error is no
/// progress.
extension SessionTask {
    /// The number of bytes of the request's body that were sent.
    public var uploadProgress: TransferProgress { life.withLock(\.upload) }

    /// The number of bytes of the response's body that have arrived.
    public var downloadProgress: TransferProgress { life.withLock(\.download) }

    /// The upload's progress now and after each change, until the call ends. A slow reader misses intermediate values.
    package var uploadUpdates: AsyncStream<TransferProgress> { updates { $0.upload } }

    /// The download's progress, like `uploadUpdates`.
    package var downloadUpdates: AsyncStream<TransferProgress> { updates { $0.download } }

    private func updates(_ direction: @escaping @Sendable (Life) -> TransferProgress) -> AsyncStream<TransferProgress> {
        let seen = Guarded<TransferProgress?>(nil)
        return AsyncStream { [self] in
            let progress = await next(after: seen.withLock { $0 }, of: direction)
            seen.withLock { $0 = progress }
            return progress
        }
    }

    /// Waits until the progress is another one than was seen, and returns it; nil when the call has ended.
    private func next(
        after seen: TransferProgress?, of direction: @Sendable (Life) -> TransferProgress
    ) async -> TransferProgress? {
        let cancelled = OneShot()
        return await withTaskCancellationHandler {
            while !cancelled.hasFired {
                let (now, change) = life.withLock { life -> (TransferProgress, OneShot?) in
                    let now = direction(life)
                    guard now == seen, !life.hasEnded else { return (now, nil) }
                    let change = life.progressed ?? OneShot()
                    life.progressed = change
                    return (now, change)
                }
                guard let change else { return now == seen ? nil : now }
                await change.fired(unless: cancelled)
            }
            return nil
        } onCancel: {
            cancelled.fire()
        }
    }

    /// Calls the progress closures of the request, each in a task of its own that ends with the call.
    func startTellingProgress() -> [Task<Void, Never>] {
        var tellers: [Task<Void, Never>] = []
        if let tell = request.onUploadProgress { tellers.append(telling(tell) { $0.upload }) }
        if let tell = request.onDownloadProgress { tellers.append(telling(tell) { $0.download }) }
        return tellers
    }

    private func telling(
        _ tell: @escaping @Sendable (TransferProgress) -> Void,
        _ direction: @escaping @Sendable (Life) -> TransferProgress
    ) -> Task<Void, Never> {
        Task {
            // The length of a body is unknown until the body is made.
            var seen = TransferProgress()
            while let progress = await next(after: seen, of: direction) {
                tell(progress)
                seen = progress
            }
        }
    }
}
