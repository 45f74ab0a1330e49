import PatchbayPlatform

/// What became of a body: the value, and who made it.
package struct SerializationResult<Value: Sendable>: Sendable {
    package let outcome: Decision.Outcome
    package let value: Value
    /// The id of the entry that made the value; nil where none did, or the request brought the serializer.
    package let entry: String?
    package let attempts: [Attempt]
    /// The look-up over what was inside the body, the innermost; nil where nothing was unwrapped.
    package internal(set) var unwrapped: Decision?

    /// What a serializer of that entry made of a body, or what stands for it.
    @inline(__always)
    package init(
        outcome: Decision.Outcome, value: Value, entry: String?, attempts: [Attempt], unwrapped: Decision? = nil
    ) {
        self.outcome = outcome
        self.value = value
        self.entry = entry
        self.attempts = attempts
        self.unwrapped = unwrapped
    }

    /// The same, the value of no particular type.
    package init<Made>(_ other: SerializationResult<Made>) where Value == any Sendable {
        self.init(
            outcome: other.outcome, value: other.value, entry: other.entry, attempts: other.attempts,
            unwrapped: other.unwrapped)
    }
}

extension SerializationResult: CustomStringConvertible, CustomReflectable {
    /// What kind of value it is and who made it, not the value: `JSON, made by json`.
    package var description: String { outcome.description(of: value, by: entry) }
    package var customMirror: Mirror { Mirror(described: self) }
}

extension Decision.Outcome {
    /// The type of a value, and who made it or what it stands for.
    package func description(of value: Any, by entry: String?) -> String {
        switch self {
        case .entry: "\(type(of: value)), made by \(entry ?? Attempt.request)"
        case .empty: "\(type(of: value)), for no bytes"
        case .raw: "\(type(of: value)), the body as it is"
        case .error: "no value"
        }
    }
}
