import PatchbayPlatform

/// The result for a body: the value and the entry that made it.
package struct SerializationResult<Value: Sendable>: Sendable {
    package let outcome: Decision.Outcome
    package let value: Value
    /// The id of the entry that made the value; nil if there is none, or if the request sets the serializer.
    package let entry: String?
    package let attempts: [Attempt]
    /// The decision about the innermost unwrapped body; nil if nothing was unwrapped.
    package internal(set) var unwrapped: Decision?

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

    /// Another result, with its value as `any Sendable`.
    package init<Made>(_ other: SerializationResult<Made>) where Value == any Sendable {
        self.init(
            outcome: other.outcome, value: other.value, entry: other.entry, attempts: other.attempts,
            unwrapped: other.unwrapped)
    }
}

extension SerializationResult: CustomStringConvertible, CustomReflectable {
    /// The type of the value and the entry that made it, never the value: `JSON, made by json`.
    package var description: String { outcome.description(of: value, by: entry) }
    package var customMirror: Mirror { Mirror(described: self) }
}

extension Decision.Outcome {
    /// The type of a value, with the entry that made it or the outcome.
    package func description(of value: Any, by entry: String?) -> String {
        switch self {
        case .entry: "\(type(of: value)), made by \(entry ?? Attempt.request)"
        case .empty: "\(type(of: value)), for no bytes"
        case .raw: "\(type(of: value)), the body as it is"
        case .error: "no value"
        }
    }
}
