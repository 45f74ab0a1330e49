public import PatchbayRegistry

/// Why a call gave no value: one sentence, and everything that is known of the call.
///
/// The description names where the request went, by host, port and path, and holds no header value, no byte of a body and no
/// query. Segments of the path that look like tokens, more than 20 characters with digits and letters, are shown as `***`, and so
/// are those of `SessionConfiguration.maskedPathSegments`.
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

    /// What is known. Each change of it takes a block of its own.
    var facts: SessionErrorFacts {
        get { kept.facts }
        set { kept = Kept(newValue) }
    }

    init(
        _ code: Code, _ reason: String, stage: Stage = .request, cause: (any Error)? = nil,
        adding more: (inout SessionErrorFacts) -> Void = { _ in }
    ) {
        var facts = SessionErrorFacts(code, reason, stage, cause: cause)
        more(&facts)
        kept = Kept(facts)
    }

    /// Which kind of failure it is.
    public var code: Code { facts.code }
    /// How far the call had come.
    public var stage: Stage { facts.stage }
    /// The reason, in plain words.
    public var reason: String { facts.reason }
    /// The request of the last exchange; nil where none could be made.
    public var request: RequestHead? { facts.request }
    /// The head of the response; nil where none arrived.
    public var head: ResponseHead? { facts.head }
    /// The look-up of the response; nil where no head arrived.
    public var decision: Decision? { facts.decision }
    /// For code `status`: the look-up over what was inside the body; nil where no entry unwrapped it.
    public var unwrapped: Decision? { facts.unwrapped }
    /// The bytes that arrived of a response; nil where no head did.
    public var body: ResponseBody? { facts.body }
    /// For code `status`: what the registry made of the body; `ResponseBody` where no entry covers it, nil where that failed.
    public var value: (any Sendable)? { facts.value }
    /// The id of the entry that made `value`, or that failed.
    public var entry: String? { facts.entry }
    /// The entries that were tried on the body and failed.
    public var attempts: [Attempt] { facts.attempts }
    /// For code `status`: why the body could not be received or serialized.
    public var bodyFailure: (any Error)? { facts.bodyFailure }
    /// The error underneath: of the transport, a validator, the registry or the request's content.
    public var cause: (any Error)? { facts.cause }

    /// When the steps of the call were over; nil for an error that no call ended with, as of a late decoding.
    public var timeline: Timeline? { facts.timeline }
    /// How a download that is resumable can go on; nil where nothing of it is kept.
    public var resumption: DownloadResumption? { facts.resumption }
    /// How often the call was tried again before.
    public var retries: Int { facts.retries }
    /// Whether a redirect took a credential away from the request that failed.
    public var droppedCredentials: Bool { facts.droppedCredentials }

    /// Every entry asked, with what came of it; empty where no head arrived.
    public var tried: [Candidate] {
        if let failure = cause as? LookupFailure ?? bodyFailure as? LookupFailure { return failure.tried }
        return (unwrapped ?? decision)?.tried(after: attempts) ?? []
    }

    /// Makes a value of the body that came with the error, with the registry that the task was created with.
    /// - Throws: `SessionError`; code `noBody` where no response arrived.
    public func decode<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Value {
        guard let decision, let body else {
            throw SessionError(.noBody, "there is no response to decode: \(reason)", stage: stage, cause: self)
        }
        return try decision.lateValue(of: body, as: type)
    }
}

extension SessionError: CustomStringConvertible {
    /// `GET api.example.com:8080/users/2: the status is 404, which is not acceptable (2XX)`
    public var description: String {
        guard let request, let place = request.place else { return reason }
        return "\(request.method) \(place): \(reason)"
    }
}

extension SessionError: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "stage": stage, "request": request as Any, "head": head as Any, "body": body as Any,
                "value": value.map { "\(type(of: $0))" } as Any, "tried": tried,
                "cause": cause.map { FailureReason($0) } as Any,
                "timeline": timeline as Any, "resumption": resumption as Any, "retries": retries,
            ], displayStyle: .struct)
    }
}

extension SessionError.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
