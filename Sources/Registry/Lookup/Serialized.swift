/// What became of a response in a dynamic call.
public struct Serialized: Sendable {
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A serializer made the value.
        case value
        /// No bytes were received; the value is `Empty`.
        case empty
        /// No serializer made a value; it is the `ResponseBody`.
        case raw
    }

    public let outcome: Outcome
    public let value: any Sendable
    /// The id of the entry that made the value; nil where none did, or the request brought the serializer.
    public let entry: String?
    /// The entries that failed before.
    public let attempts: [Attempt]
}
