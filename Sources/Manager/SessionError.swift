public import PatchbayRegistry

/// Why a call gave no value: one sentence, and everything that is known of the call.
///
/// The description names no header value, no byte of a body and no URL beyond its host.
public struct SessionError: Error, Sendable {
    /// The kinds of failure; open, so that later versions may add to them.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// How far the call had come.
    public enum Stage: String, Sendable {
        case request, transport, redirect, status, validation, lookup, serialization, file
    }

    /// What is known, in one block of memory: every step of a call may throw, and its frame has room for what it throws.
    private final class Kept: Sendable {
        let facts: SessionErrorFacts
        init(_ facts: SessionErrorFacts) { self.facts = facts }
    }

    private var kept: Kept

    private var facts: SessionErrorFacts {
        get { kept.facts }
        set { kept = Kept(newValue) }
    }

    init(_ code: Code, _ reason: String, stage: Stage = .request, cause: (any Error)? = nil) {
        kept = Kept(SessionErrorFacts(code, reason, stage, cause: cause))
    }

    public var code: Code { facts.code }
    public var stage: Stage { facts.stage }
    /// The reason, in plain words.
    public internal(set) var reason: String {
        get { facts.reason }
        set { facts.reason = newValue }
    }
    /// The request of the last exchange; nil where none could be made.
    public internal(set) var request: RequestHead? {
        get { facts.request }
        set { facts.request = newValue }
    }
    /// The head of the response; nil where none arrived.
    public internal(set) var head: ResponseHead? {
        get { facts.head }
        set { facts.head = newValue }
    }
    /// The look-up of the response; nil where no head arrived.
    public internal(set) var decision: Decision? {
        get { facts.decision }
        set { facts.decision = newValue }
    }
    /// For code `status`: the look-up over what was inside the body; nil where no entry unwrapped it.
    public internal(set) var unwrapped: Decision? {
        get { facts.unwrapped }
        set { facts.unwrapped = newValue }
    }
    /// The bytes that arrived of a response; nil where no head did.
    public internal(set) var body: ResponseBody? {
        get { facts.body }
        set { facts.body = newValue }
    }
    /// For code `status`: what the registry made of the body; `ResponseBody` where no entry covers it, nil where that failed.
    public internal(set) var value: (any Sendable)? {
        get { facts.value }
        set { facts.value = newValue }
    }
    /// The id of the entry that made `value`, or that failed.
    public internal(set) var entry: String? {
        get { facts.entry }
        set { facts.entry = newValue }
    }
    /// The entries that were tried on the body and failed.
    public internal(set) var attempts: [Attempt] {
        get { facts.attempts }
        set { facts.attempts = newValue }
    }
    /// For code `status`: why the body could not be received or serialized.
    public internal(set) var bodyFailure: (any Error)? {
        get { facts.bodyFailure }
        set { facts.bodyFailure = newValue }
    }
    /// The error underneath: of the transport, a validator, the registry or the request's content.
    public internal(set) var cause: (any Error)? {
        get { facts.cause }
        set { facts.cause = newValue }
    }

    /// When the steps of the call were over; nil for an error that no call ended with, as of a late decoding.
    public internal(set) var timeline: Timeline? {
        get { facts.timeline }
        set { facts.timeline = newValue }
    }
    /// How a download that is resumable can go on; nil where nothing of it is kept.
    public internal(set) var resumption: DownloadResumption? {
        get { facts.resumption }
        set { facts.resumption = newValue }
    }
    /// How often the call was tried again before.
    public internal(set) var retries: Int {
        get { facts.retries }
        set { facts.retries = newValue }
    }
    /// Whether a redirect took a credential away from the request that failed.
    public internal(set) var droppedCredentials: Bool {
        get { facts.droppedCredentials }
        set { facts.droppedCredentials = newValue }
    }

    /// Every entry asked, with what came of it; empty where no head arrived.
    public var tried: [Asked] {
        if let failure = cause as? LookupFailure ?? bodyFailure as? LookupFailure { return failure.tried }
        return (unwrapped ?? decision)?.tried(after: attempts) ?? []
    }

    /// Makes a value of the body that came with the error, with the registry that the task was created with.
    /// - Throws: `SessionError`; code `noBody` where no response arrived.
    public func decode<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Value {
        guard let decision, let body else {
            throw SessionError(.noBody, "there is no response to decode: \(reason)", stage: stage, cause: self)
        }
        return try LateDecoding(decision, body).value(as: type)
    }
}

extension SessionError: CustomStringConvertible {
    public var description: String {
        guard let request, let host = request.url.host() else { return reason }
        return "\(request.method) \(host): \(reason)"
    }
}
