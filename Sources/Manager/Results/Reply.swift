// The results of a call: a reply, a stream of elements, or an error, and the timeline of the call.

package import PatchbayPlatform
public import PatchbayRegistry

/// A finished exchange and the value made of its body. Copying a reply costs little more than copying its value.
public struct Reply<Value: Sendable>: Sendable {
    /// The value that was made of the body.
    public let value: Value
    private let facts: ReplyFacts

    /// Whether the value was made by a serializer, is the value for an empty body, or is the raw bytes.
    public var outcome: Decision.Outcome { facts.outcome }
    /// The id of the entry that made the value; nil if no entry did, or if the request brought the serializer.
    public var entry: String? { facts.entry }
    /// The look-up for this response: the entries that were considered, the reason that each was not chosen, and the
    /// entries that failed.
    public var decision: Decision {
        (facts.unwrapped ?? facts.decision).ended(facts.outcome, by: facts.entry, after: facts.attempts)
    }
    /// Whether an entry failed or unwrapped the body before the value was made.
    var isSecondChoice: Bool { !facts.attempts.isEmpty || facts.unwrapped != nil }
    /// The entry that wrote the body of the request, and the reason why each entry before it did not. Nil for a request
    /// without a body, and for bytes, text, files, streams and multipart forms.
    public var written: Decision? { writer.map { Decision($0) } }
    var writer: WriterLookup? { facts.writer }
    /// The file of a download, whether or not a value was made of it.
    package var file: URL? { facts.file }
    /// The decision about the inner body, under the media type of the inner body; nil if no entry unwrapped the body.
    public var unwrapped: Decision? { facts.unwrapped.flatMap { $0.isUnwrapped ? $0 : nil } }
    /// The status and the fields of the response, with the request it answers.
    public var head: ResponseHead { facts.decision.head }
    /// The bytes that arrived, after content decoding.
    public var body: ResponseBody { facts.body }
    /// The trailer fields (RFC 9110, section 6.5), which few servers send. Empty with a transport that does not deliver
    /// them.
    public var trailers: HeaderFields { facts.trailers }
    /// The times at which the steps of the call ended.
    public var timeline: CallTimeline { facts.timeline }
    /// How `SessionConfiguration.cache` handled the last request of the call; nil without a cache.
    public var cacheStatus: CacheStatus? { facts.timeline.exchange.cacheStatus }

    /// Makes a reply without a call, for tests of code that takes a reply.
    /// - Parameters:
    ///   - value: the value of the reply.
    ///   - head: the status and the fields of the response.
    ///   - body: the bytes that `decode(as:)` reads.
    ///   - decision: the decision about the response, from `SerializerRegistry.explain(contentType:)`. The entry of the
    ///     decision becomes `entry`. Without a decision the reply has no entry and no candidates, and its digest is
    ///     empty.
    ///   - timeline: the times of the call.
    public init(
        _ value: Value, head: ResponseHead, body: ResponseBody = ResponseBody(), decision: Decision? = nil,
        timeline: CallTimeline = CallTimeline()
    ) {
        let decision = decision?.of(head) ?? Decision(unaskedAbout: head)
        let made = SerializationResult(outcome: decision.outcome, value: value, entry: decision.entry, attempts: [])
        self.init(made, decision, body, [:], timeline, nil, decision.outcome == .raw ? value as? URL : nil)
    }

    /// A reply with a value that was made, and with everything that is known about its response.
    init(
        _ serialized: SerializationResult<Value>, _ decision: Decision, _ body: ResponseBody, _ trailers: HeaderFields,
        _ timeline: CallTimeline, _ writer: WriterLookup?, _ file: URL?
    ) {
        value = serialized.value
        facts = ReplyFacts(
            serialized.outcome, serialized.entry, decision, serialized.unwrapped, serialized.attempts, body, trailers,
            timeline, writer, file)
    }

    fileprivate init(_ value: Value, _ facts: ReplyFacts) {
        self.value = value
        self.facts = facts
    }

    /// Returns a copy without the value and the bytes, which can be large or foreign objects.
    func withoutBody() -> Reply<Void> { Reply<Void>((), facts.withoutBody()) }

    /// Returns a copy with another value.
    package func map<Made: Sendable>(_ make: (Value) -> Made) -> Reply<Made> { Reply<Made>(make(value), facts) }

    /// Makes a value of another type from the kept bytes, or from the file of a download, within the limit of the
    /// entry. The registry that the task was created with chooses the entry.
    /// - Throws: `SessionError` with the same codes as a typed call; code `file` if the file is gone.
    public func decode<Other: Sendable>(as type: Other.Type) throws(SessionError) -> Other {
        try facts.decision.lateValue(of: body, file, as: type)
    }

    /// Makes another value from the kept bytes with a serializer of the caller's own.
    ///
    /// You can call this function several times with different serializers, also with serializers that you choose after
    /// the response has arrived.
    /// - Throws: `SessionError` with the same codes as a call.
    public func serialize<Output: Sendable>(
        with serializer: some ResponseSerializer<Output>
    ) throws(SessionError) -> Output {
        try facts.decision.lateValue(of: body, with: serializer)
    }
}

extension Reply<any Sendable> {
    /// Returns a copy with the value cast back to the type with which it was made.
    package func typed<Made: Sendable>() -> Reply<Made> { Reply<Made>(value(as: Made.self), facts) }

    /// Returns the value cast back to the type with which it was made, because calls keep values without their static
    /// type.
    func value<Made: Sendable>(as type: Made.Type) -> Made {
        // A cast at run time costs 600 instructions more than this comparison (`scripts/pins`).
        func opened<Kept>(_ value: Kept) -> Made {
            Kept.self == Made.self ? unsafeBitCast(value, to: Made.self) : cast(value)
        }
        // A plain call would not open it: the existential of a marker protocol conforms to the protocol itself.
        return _openExistential(value, do: opened)
    }

    @inline(never)
    private func cast<Made>(_ value: some Any) -> Made {
        guard let made = value as? Made else { preconditionFailure("the value is not the \(Made.self) it was made as") }
        return made
    }
}

extension Reply: CustomStringConvertible, CustomReflectable {
    /// The request, the status, and the kind of value that was made:
    /// `GET example.com/a: 200, JSON, made by json, 26 bytes`.
    public var description: String {
        let request = head.request
        let made = outcome.description(of: value, by: entry)
        return "\(request.method) \(request.place ?? "-"): \(head.status), \(made), \(body)"
    }

    /// Leaves out the value: the caller decides whether to print it.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["head": head, "body": body, "decision": decision, "timeline": timeline],
            displayStyle: .struct)
    }
}

/// The facts of a reply besides its value.
///
/// An immutable class, so that passing a reply between the stages of a call copies one reference.
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
    let file: URL?

    init(
        _ outcome: Decision.Outcome, _ entry: String?, _ decision: Decision, _ unwrapped: Decision?,
        _ attempts: [Attempt], _ body: ResponseBody, _ trailers: HeaderFields, _ timeline: CallTimeline,
        _ writer: WriterLookup?, _ file: URL?
    ) {
        (self.writer, self.file) = (writer, file)
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
        ReplyFacts(outcome, entry, decision, unwrapped, attempts, .empty, trailers, timeline, writer, file)
    }
}
