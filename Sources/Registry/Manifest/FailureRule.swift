/// What happens when an entry's serializer throws, or the body outgrows the entry's limit: `"onFailure"` of the manifest.
public enum FailureRule: String, Sendable, Hashable, CaseIterable {
    /// Stop, and report every attempt.
    case error
    /// Try the following covering entries over the same bytes.
    case next
    /// Give the bytes; in a typed call, stop as `error` does.
    case raw
}
