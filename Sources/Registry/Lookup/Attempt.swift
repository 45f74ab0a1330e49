/// A serializer that ran over a body, or would have had the body not been too large, and failed.
public struct Attempt: Sendable {
    /// The id of the entry; `(request)` for a serializer that the request brought.
    public let entry: String
    /// What the serializer threw, or a `BodyLimitExceeded`.
    public let error: any Error

    /// Stands for the id of a serializer that the request brought; no id has parentheses.
    static let request = "(request)"
}

extension Attempt: CustomStringConvertible, CustomReflectable {
    /// `json: line 3, column 7: expected a comma`
    public var description: String { "\(entry): \(FailureReason(error))" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A body has more bytes than an entry, or the policy, allows.
public struct BodyLimitExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    /// The largest body allowed, in bytes after content decoding.
    public let limit: Int

    public var description: String { "the body has more than the \(limit) bytes that are allowed" }
}
