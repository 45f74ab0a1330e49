public import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A finished exchange and the value made of its body.
public struct Reply<Value: Sendable>: Sendable {
    public let value: Value
    /// Whether the value was made by an entry, stands for an empty body, or is the raw bytes.
    public let outcome: SerializedOutcome
    /// The id of the entry that made the value; nil for the tails and for empty bodies.
    public let entry: String?
    /// Who was asked about this response, and why each was passed over.
    public let decision: Decision
    /// The look-up over what was inside the body, under its own media type; nil where no entry unwrapped it.
    public let unwrapped: Decision?
    /// The entries that were tried on the body and failed before one succeeded.
    public let attempts: [Attempt]
    public let head: ResponseHead
    /// The bytes that arrived, after content decoding.
    public let body: ResponseBody
    public internal(set) var timeline: Timeline

    /// Every entry asked, with what came of it, those that were asked about an unwrapped body among them.
    public var tried: [Asked] { (unwrapped ?? decision).tried(after: attempts) }

    /// The digest of the registry that the task took when it was created.
    public var registryDigest: String { decision.registry.digest }

    /// How often the call was tried again.
    public var retries: Int { timeline.retries }

    init(_ serialized: Serialized<Value>, _ result: ExchangeResult, start: Date, finished: Duration) {
        value = serialized.value
        outcome = serialized.outcome
        entry = serialized.entry
        attempts = serialized.attempts
        unwrapped = serialized.unwrapped
        decision = result.decision
        head = result.decision.head
        body = result.body
        timeline = Timeline(result, start: start, finished: finished)
    }

    /// The same reply, its value of no particular type.
    init<Other>(_ other: Reply<Other>) where Value == any Sendable {
        value = other.value
        outcome = other.outcome
        entry = other.entry
        decision = other.decision
        attempts = other.attempts
        unwrapped = other.unwrapped
        head = other.head
        body = other.body
        timeline = other.timeline
    }

    /// Makes a value of another type from the kept bytes, with the registry that the task was created with.
    /// - Throws: `SessionError` with the same codes as a typed call.
    public func decode<Other: Sendable>(as type: Other.Type) throws(SessionError) -> Other {
        try LateDecoding(decision, body).value(as: type)
    }

    /// Makes another value from the kept bytes with a serializer of the caller's own.
    ///
    /// Several serializers over one response, and one that is thought of after it arrived, are calls of this in turn.
    /// - Throws: `SessionError` with the same codes as a call.
    public func serialize<Output: Sendable>(
        with serializer: some ResponseSerializer<Output>
    ) throws(SessionError) -> Output {
        try LateDecoding(decision, body).value(with: serializer)
    }
}
