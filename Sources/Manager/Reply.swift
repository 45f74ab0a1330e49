public import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A finished exchange and the value made of its body. Copying it costs little more than copying the value.
public struct Reply<Value: Sendable>: Sendable {
    public let value: Value
    public internal(set) var timeline: Timeline
    private let parts: ReplyParts

    /// Whether the value was made by an entry, stands for an empty body, or is the raw bytes.
    public var outcome: SerializedOutcome { parts.outcome }
    /// The id of the entry that made the value; nil for the tails and for empty bodies.
    public var entry: String? { parts.entry }
    /// Who was asked about this response, and why each was passed over.
    public var decision: Decision { parts.decision }
    /// The look-up over what was inside the body, under its own media type; nil where no entry unwrapped it.
    public var unwrapped: Decision? { parts.unwrapped }
    /// The entries that were tried on the body and failed before one succeeded.
    public var attempts: [Attempt] { parts.attempts }
    public var head: ResponseHead { parts.decision.head }
    /// The bytes that arrived, after content decoding.
    public var body: ResponseBody { parts.body }

    /// Every entry asked, with what came of it, those that were asked about an unwrapped body among them.
    public var tried: [Asked] { (unwrapped ?? decision).tried(after: attempts) }

    /// The digest of the registry that the task took when it was created.
    public var registryDigest: String { decision.registry.digest }

    /// How often the call was tried again.
    public var retries: Int { timeline.retries }

    init(_ serialized: Serialized<Value>, _ result: ExchangeResult, start: Date, finished: Duration) {
        value = serialized.value
        parts = ReplyParts(serialized, result)
        timeline = Timeline(result, start: start, finished: finished)
    }

    private init<Other>(_ value: Value, of other: Reply<Other>, _ parts: ReplyParts? = nil) {
        self.value = value
        self.parts = parts ?? other.parts
        timeline = other.timeline
    }

    /// The same exchange with another value, and other bytes.
    func replacing<Other: Sendable>(value: Other, body: ResponseBody) -> Reply<Other> {
        Reply<Other>(value, of: self, parts.replacing(body))
    }

    /// The same reply, its value as the type that it was made as.
    func typed<Made: Sendable>() throws(SessionError) -> Reply<Made> {
        guard let made = value as? Made else { return Reply<Made>(try decode(as: Made.self), of: self) }
        return Reply<Made>(made, of: self)
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

extension Reply: CustomStringConvertible, CustomReflectable {
    /// What was asked, the status, and what kind of value was made: `GET example.com/a: 200, JSON, made by json, 26 bytes`.
    public var description: String {
        let request = head.request
        let made = outcome.description(of: value, by: entry)
        return "\(request.method) \(request.place ?? "-"): \(head.status), \(made), \(body)"
    }

    /// Without the value, which is the caller's to print.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["head": head, "body": body, "tried": tried, "timeline": timeline, "retries": retries],
            displayStyle: .struct)
    }
}
