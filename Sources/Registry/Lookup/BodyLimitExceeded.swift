/// A body has more bytes than an entry, or the policy, allows.
public struct BodyLimitExceeded: Error, Sendable, Hashable, CustomStringConvertible {
    /// The largest body allowed, in bytes after content decoding.
    public let limit: Int

    public var description: String { "the body has more than the \(limit) bytes that are allowed" }
}
