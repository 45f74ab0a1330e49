// What comes of a call: a reply, a stream of elements, or an error, what judges a response, and when it all happened.

import PatchbayPlatform
public import PatchbayRegistry

/// A finished exchange and the value made of its body. Copying it costs little more than copying the value.
public struct Reply<Value: Sendable>: Sendable {
    /// What was made of the body.
    public let value: Value
    private let facts: ReplyFacts

    /// Whether the value was made by a serializer, stands for an empty body, or is the raw bytes.
    public var outcome: Decision.Outcome { facts.outcome }
    /// The id of the entry that made the value; nil where none did, or the request brought the serializer.
    public var entry: String? { facts.entry }
    /// Who was asked about this response, why each was passed over, and which of them failed.
    public var decision: Decision {
        (facts.unwrapped ?? facts.decision).ended(facts.outcome, by: facts.entry, after: facts.attempts)
    }
    /// The entry that wrote the body of the request, and the reason why each entry before it did not. Nil without a body, and for bytes, text,
    /// files, streams and multipart forms.
    public var written: Decision? { writer.map { Decision($0) } }
    var writer: WriterLookup? { facts.writer }
    /// The look-up over what was inside the body, under its own media type; nil where no entry unwrapped it.
    public var unwrapped: Decision? { facts.unwrapped }
    /// The status and the fields of the response, with the request it answers.
    public var head: ResponseHead { facts.decision.head }
    /// The bytes that arrived, after content decoding.
    public var body: ResponseBody { facts.body }
    /// The fields behind the body (RFC 9110, section 6.5), which few servers send; none with a transport that does not hand them over.
    public var trailers: HeaderFields { facts.trailers }
    /// When the steps of the call were over.
    public var timeline: CallTimeline { facts.timeline }

    /// A reply that no call brought: for tests of code that is given one.
    /// - Parameters:
    ///   - value: the value of the reply.
    ///   - head: the status and the fields of the response.
    ///   - body: the bytes that `decode(as:)` reads.
    ///   - decision: the decision about such a response, from `SerializerRegistry.explain(contentType:)`; its entry
    ///     is `entry`. Without a decision the reply has no entry and no candidates, and its digest is empty.
    ///   - timeline: the times of the call.
    public init(
        _ value: Value, head: ResponseHead, body: ResponseBody = ResponseBody(), decision: Decision? = nil,
        timeline: CallTimeline = CallTimeline()
    ) {
        let decision = decision?.of(head) ?? Decision(unaskedAbout: head)
        let made = SerializationResult(outcome: decision.outcome, value: value, entry: decision.entry, attempts: [])
        self.init(made, decision, body, [:], timeline)
    }

    /// A reply of the value that was made, and of all that is known of its response.
    init(
        _ serialized: SerializationResult<Value>, _ decision: Decision, _ body: ResponseBody, _ trailers: HeaderFields,
        _ timeline: CallTimeline, _ writer: WriterLookup? = nil
    ) {
        value = serialized.value
        facts = ReplyFacts(
            serialized.outcome, serialized.entry, decision, serialized.unwrapped, serialized.attempts, body, trailers,
            timeline, writer)
    }

    private init(_ value: Value, _ facts: ReplyFacts) {
        self.value = value
        self.facts = facts
    }

    /// The same exchange without what may be large or anyone's: an empty value, and no bytes.
    func withoutBody() -> Reply<Void> { Reply<Void>((), facts.withoutBody()) }

    /// The same reply with another value.
    package func map<Made: Sendable>(_ make: (Value) -> Made) -> Reply<Made> { Reply<Made>(make(value), facts) }

    /// The same reply, its value as the type that it was made as.
    package func typed<Made: Sendable>() -> Reply<Made> { Reply<Made>(value(as: Made.self), facts) }

    /// The value as the type that it was made as: the call keeps values of no particular type, and this is where theirs comes back.
    func value<Made: Sendable>(as type: Made.Type) -> Made {
        guard let made = value as? Made else { preconditionFailure("the value is not the \(Made.self) it was made as") }
        return made
    }

    /// Makes a value of another type from the kept bytes, with the registry that the task was created with; of a download from the bytes
    /// of its file, within the limit of the entry.
    /// - Throws: `SessionError` with the same codes as a typed call; code `file` where the file is gone.
    public func decode<Other: Sendable>(as type: Other.Type) throws(SessionError) -> Other {
        try facts.decision.lateValue(of: body, outcome == .raw ? value as? URL : nil, as: type)
    }

    /// Makes another value from the kept bytes with a serializer of the caller's own.
    ///
    /// Several serializers over one response, and one that is thought of after it arrived, are calls of this in turn.
    /// - Throws: `SessionError` with the same codes as a call.
    public func serialize<Output: Sendable>(
        with serializer: some ResponseSerializer<Output>
    ) throws(SessionError) -> Output {
        try facts.decision.lateValue(of: body, with: serializer)
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
            children: ["head": head, "body": body, "decision": decision, "timeline": timeline],
            displayStyle: .struct)
    }
}

/// What a reply is besides its value.
///
/// A class of constants only, so that the stages of a call hand a reply on for the price of one reference.
private final class ReplyFacts: Sendable {
    let outcome: Decision.Outcome
    let entry: String?
    let decision: Decision
    let unwrapped: Decision?
    let attempts: [Attempt]
    let body: ResponseBody
    let trailers: HeaderFields
    let timeline: CallTimeline
    let writer: WriterLookup?

    init(
        _ outcome: Decision.Outcome, _ entry: String?, _ decision: Decision, _ unwrapped: Decision?,
        _ attempts: [Attempt], _ body: ResponseBody, _ trailers: HeaderFields, _ timeline: CallTimeline,
        _ writer: WriterLookup?
    ) {
        self.writer = writer
        self.outcome = outcome
        self.entry = entry
        self.decision = decision
        self.unwrapped = unwrapped
        self.attempts = attempts
        self.body = body
        self.trailers = trailers
        self.timeline = timeline
    }

    func withoutBody() -> ReplyFacts {
        ReplyFacts(outcome, entry, decision, unwrapped, attempts, .empty, trailers, timeline, writer)
    }
}
