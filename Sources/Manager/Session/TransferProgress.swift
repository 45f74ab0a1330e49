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

/// Counts the bytes of one direction of a call and wakes its watchers. Without a watcher it only counts.
struct TransferMeter: ~Copyable, Sendable {
    struct State {
        var progress = TransferProgress()
        var version = 0
        var hasEnded = false
        /// Fires at the next change; nil if no caller waits for a change.
        var change: OneShot?
    }

    private let state = Guarded(State())

    var progress: TransferProgress { state.withLock(\.progress) }

    /// Called when a body begins: for the first time, or again for a redirect or another attempt.
    /// - Parameter offset: the number of bytes that a resumed file already has.
    func begin(total: Int64?, at offset: Int64 = 0) {
        update { ($0.progress.completedBytes, $0.progress.totalBytes) = (offset, total) }
    }

    /// Called before a request is sent. The bytes that a resumed file already has count as completed.
    func begin(resuming resumption: DownloadResumption?) {
        begin(total: resumption?.expectedBytes.map(Int64.init), at: Int64(resumption?.start ?? 0))
    }

    func add(_ count: Int) {
        update { state in
            let (sum, overflows) = state.progress.completedBytes.addingReportingOverflow(Int64(clamping: count))
            state.progress.completedBytes = overflows ? .max : sum
        }
    }

    /// Called when the call has ended. Only the first call of this function counts.
    func end(isSuccess: Bool) {
        update { state in
            if isSuccess, !state.hasEnded {
                state.progress.isFinished = true
                state.progress.totalBytes = state.progress.totalBytes ?? state.progress.completedBytes
            }
            state.hasEnded = true
        }
    }

    /// Waits until the progress has changed since the version in `seen`, and returns the progress. Changes in between
    /// are skipped. Returns nil when the call has ended.
    func next(after seen: borrowing Guarded<Int>) async -> TransferProgress? {
        let cancelled = OneShot()
        return await withTaskCancellationHandler {
            while !cancelled.hasFired {
                let last = seen.withLock { $0 }
                let (now, change) = state.withLock { state -> (State, OneShot?) in
                    guard state.version == last, !state.hasEnded else { return (state, nil) }
                    let change = state.change ?? OneShot()
                    state.change = change
                    return (state, change)
                }
                guard let change else {
                    seen.withLock { $0 = now.version }
                    return now.version == last ? nil : now.progress
                }
                await change.fired(unless: cancelled)
            }
            return nil
        } onCancel: {
            cancelled.fire()
        }
    }

    private func update(_ body: (inout State) -> Void) {
        let change = state.withLock { state -> OneShot? in
            let (progress, hasEnded) = (state.progress, state.hasEnded)
            body(&state)
            if state.progress != progress { state.version += 1 }
            guard state.progress != progress || state.hasEnded != hasEnded else { return nil }
            defer { state.change = nil }
            return state.change
        }
        change?.fire()
    }
}

/// The progress of the bodies of a call.
///
/// The counts only grow, except if a redirect or a retry sends or fetches bytes again. The body of an error is no
/// progress.
extension SessionTask {
    /// The number of bytes of the request's body that were sent.
    public var uploadProgress: TransferProgress { upload.progress }

    /// The number of bytes of the response's body that have arrived.
    public var downloadProgress: TransferProgress { download.progress }

    /// The upload's progress now and after each change, until the call ends. A slow reader misses changes in between.
    package var uploadUpdates: AsyncStream<TransferProgress> {
        let seen = Guarded(-1)
        return AsyncStream { await self.upload.next(after: seen) }
    }

    /// The download's progress now and after each change, until the call ends. A slow reader misses changes in between.
    package var downloadUpdates: AsyncStream<TransferProgress> {
        let seen = Guarded(-1)
        return AsyncStream { await self.download.next(after: seen) }
    }

    /// Calls the progress closures of the request, each in a task of its own that ends with the call.
    func startTellingProgress() -> [Task<Void, Never>] {
        var tellers: [Task<Void, Never>] = []
        if let tell = request.onUploadProgress {
            tellers.append(Task { for await progress in uploadUpdates { tell(progress) } })
        }
        if let tell = request.onDownloadProgress {
            tellers.append(Task { for await progress in downloadUpdates { tell(progress) } })
        }
        return tellers
    }
}
