import PatchbayRegistry

/// How much of a body has been sent or has arrived, in bytes.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes so far: of an upload those handed to the network, of a download those that arrived, after content decoding.
    public internal(set) var completedBytes: Int64 = 0
    /// How many there will be; nil where that is not known. Of an upload the length of the content, of a download the
    /// Content-Length of a response without a content coding; once the call has succeeded, what it came to.
    public internal(set) var totalBytes: Int64?
    /// Whether the call has succeeded.
    public internal(set) var isFinished = false

    /// From 0 to 1, and exactly 1 once the call has succeeded; nil where the total is not known.
    public var fractionCompleted: Double? {
        if isFinished { return 1 }
        guard let totalBytes, totalBytes > 0 else { return nil }
        return min(Double(completedBytes) / Double(totalBytes), 1)
    }
}

extension TransferProgress: CustomStringConvertible {
    /// `5,000 of 10,000 bytes`, or `5,000 bytes` where the total is not known; at the end with `finished`.
    public var description: String {
        let amount = totalBytes.map { "\(ByteCount.grouped(completedBytes)) of \(ByteCount($0))" }
        return (amount ?? "\(ByteCount(completedBytes))") + (isFinished ? ", finished" : "")
    }
}
