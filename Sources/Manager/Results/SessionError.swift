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

    /// How far the call had come; open, so that more can come.
    public struct Stage: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request was made, or was to be.
        public static let request = Stage(rawValue: "request")
        /// The exchange.
        public static let transport = Stage(rawValue: "transport")
        /// A redirect was to be followed.
        public static let redirect = Stage(rawValue: "redirect")
        /// The status was held against those that are acceptable.
        public static let status = Stage(rawValue: "status")
        /// The validators of the request were asked.
        public static let validation = Stage(rawValue: "validation")
        /// The registry was asked who serializes the response, and how much of it.
        public static let lookup = Stage(rawValue: "lookup")
        /// The value was made.
        public static let serialization = Stage(rawValue: "serialization")
        /// The file of a download was written, or read again.
        public static let file = Stage(rawValue: "file")

        public var description: String { rawValue }
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

    /// An error that no call ended with: for tests of code that handles errors.
    ///
    /// The head is that of the decision, where none is given, and the request that of the head. `decode(as:)` asks the decision, and so
    /// needs one, and a body; `value` is what is given, and nothing is made of the body for it.
    /// - Parameter reason: the reason, in plain words; `description` puts the request in front.
    public init(
        _ code: Code, reason: String, stage: Stage = .request, request: RequestHead? = nil, head: ResponseHead? = nil,
        decision: Decision? = nil, unwrapped: Decision? = nil, body: ResponseBody? = nil, value: (any Sendable)? = nil,
        entry: String? = nil, attempts: [Attempt] = [], bodyFailure: (any Error)? = nil, cause: (any Error)? = nil,
        timeline: CallTimeline? = nil, resumption: DownloadResumption? = nil, retries: Int = 0,
        droppedCredentials: Bool = false
    ) {
        self.init(code, reason, stage: stage, cause: cause) {
            $0.head = head ?? decision?.head
            $0.request = request ?? $0.head?.request
            $0.decision = decision
            $0.unwrapped = unwrapped
            $0.body = body
            $0.value = value
            $0.entry = entry
            $0.attempts = attempts
            $0.bodyFailure = bodyFailure
            $0.timeline = timeline
            $0.resumption = resumption
            $0.retries = retries
            $0.droppedCredentials = droppedCredentials
        }
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
    public var timeline: CallTimeline? { facts.timeline }
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
        return try decision.lateValue(of: body, nil, as: type)
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

extension SessionError.Code {
    /// The request breaks a rule and was not sent.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// An interceptor threw instead of giving a request to send; `cause` is what it threw.
    public static let adaptation = Self(rawValue: "adaptation")
    /// The call failed, and an interceptor gave a reason not to try it again; `cause` is a `RetryFailure`.
    public static let retryFailed = Self(rawValue: "retryFailed")
    /// The exchange could not be carried out; `cause` is a `TransportFailure`.
    public static let transport = Self(rawValue: "transport")
    /// The source of the content failed while it was sent; `cause` is what it threw.
    public static let unreadableContent = Self(rawValue: "unreadableContent")
    /// No byte moved for the idle timeout, or the call waited as long for a connection: the sentence says which.
    public static let idleTimeout = Self(rawValue: "idleTimeout")
    /// The call took longer than the total timeout.
    public static let totalTimeout = Self(rawValue: "totalTimeout")
    /// The call's task, or the task around it, was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The call was made after its manager was invalidated.
    public static let invalidated = Self(rawValue: "invalidated")
    /// A redirect led to where no redirect may lead.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// There were more redirects than the configuration follows.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The status is not acceptable; the body is decoded in `value`.
    public static let status = Self(rawValue: "status")
    /// A validator of the request refused the response; `cause` is what it threw.
    public static let validation = Self(rawValue: "validation")
    /// The body outgrew the limit of the policy or of its entry.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// No entry serializes the response, or none makes the wanted type; `cause` is a `LookupFailure`.
    public static let lookup = Self(rawValue: "lookup")
    /// An entry took the body and failed; `cause` is a `LookupFailure`.
    public static let serialization = Self(rawValue: "serialization")
    /// The file of a download could not be written, read again or resumed; `cause` is a `FileFailure`.
    public static let file = Self(rawValue: "file")
    /// The response is not the rest of the file that is to be resumed, or the request is for another one.
    public static let resumption = Self(rawValue: "resumption")
    /// The elements of a stream were asked for by a second loop.
    public static let alreadyRead = Self(rawValue: "alreadyRead")
    /// A late decoding was asked for and no response had arrived.
    public static let noBody = Self(rawValue: "noBody")
}

/// Everything that a `SessionError` knows.
struct SessionErrorFacts: Sendable {
    var code: SessionError.Code
    let stage: SessionError.Stage
    var reason: String
    var request: RequestHead?
    var head: ResponseHead?
    var decision: Decision?
    var unwrapped: Decision?
    var body: ResponseBody?
    var value: (any Sendable)?
    var entry: String?
    var attempts: [Attempt] = []
    var bodyFailure: (any Error)?
    var cause: (any Error)?
    var timeline: CallTimeline?
    var resumption: DownloadResumption?
    var retries = 0
    /// How often the interceptor that is asked about the error had the call tried again before.
    var ownRetries = 0
    var droppedCredentials = false

    init(_ code: SessionError.Code, _ reason: String, _ stage: SessionError.Stage, cause: (any Error)?) {
        self.code = code
        self.stage = stage
        self.reason = reason
        self.cause = cause
    }

    /// The response that it is about.
    mutating func add(_ head: ResponseHead) {
        self.head = head
        request = head.request
    }

    /// The response, its look-up and what arrived of its body.
    mutating func add(_ decision: Decision, _ body: ResponseBody) {
        self.decision = decision
        self.body = body
        add(decision.head)
    }
}
