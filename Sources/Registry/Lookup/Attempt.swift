/// A serializer that ran over a body, or would have had the body not been too large, and failed.
public struct Attempt: Sendable {
    /// The id of the entry; `(request)` for a serializer that the request brought.
    public let entry: String
    /// What the serializer threw, or a `BodyLimitExceeded`.
    public let error: any Error
}

extension Attempt: CustomStringConvertible {
    /// `json: line 3, column 7: expected a comma`
    public var description: String { "\(entry): \(FailureReason(error))" }
}
