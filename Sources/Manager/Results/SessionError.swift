import PatchbayJSON
public import PatchbayRegistry

/// The reason that a call gave no value: one sentence, and all known facts about the call.
///
/// The description has the host, port and path of the request, but no header value, no byte of a body and no query.
/// Segments of the path that look like tokens (more than 20 characters with digits and letters) are shown as `***`, and
/// so are the segments in `SessionConfiguration.maskedPathSegments`.
public struct SessionError: Error, Sendable {
    /// The kind of a failure. Not a closed enum: later versions can add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The facts in one heap object: every step of a call can throw, and the stack frame of each step reserves room for
    /// the error.
    private final class Kept: Sendable {
        let facts: SessionErrorFacts
        init(_ facts: SessionErrorFacts) { self.facts = facts }
    }

    private var kept: Kept

    /// The facts. Each change allocates a new object. No change is inlined, because the facts are many and errors rare.
    var facts: SessionErrorFacts {
        get { kept.facts }
        @inline(never) set { kept = Kept(newValue) }
    }

    @inline(never)
    init(
        _ code: Code, _ reason: String, cause: (any Error)? = nil,
        adding more: (inout SessionErrorFacts) -> Void = { _ in }
    ) {
        var facts = SessionErrorFacts(code, reason, cause: cause)
        more(&facts)
        kept = Kept(facts)
    }

    /// Makes an error outside a call, for tests of code that handles errors.
    ///
    /// Without `request`, the request of the head is used. `decode(as:)` needs a decision, a head and a body. `value`
    /// is used as given; it is not made from the body.
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - reason: one clause that gives the reason; `description` puts the request in front.
    ///   - request: the request; by default the request that `head` answers.
    ///   - head: the status and the fields of the response.
    ///   - body: the bytes that `decode(as:)` reads.
    ///   - value: the decoded body of the error.
    ///   - decision: the decision about the response; `decode(as:)` needs one.
    ///   - cause: the underlying error.
    public init(
        _ code: Code, reason: String, request: RequestHead? = nil, head: ResponseHead? = nil,
        body: ResponseBody? = nil, value: (any Sendable)? = nil, decision: Decision? = nil, cause: (any Error)? = nil
    ) {
        self.init(code, reason, cause: cause) {
            $0.head = head
            $0.request = request ?? head?.request
            $0.decision = head.flatMap { decision?.of($0) } ?? decision
            $0.body = body
            $0.value = value
        }
    }

    /// The kind of failure.
    public var code: Code { facts.code }
    /// The reason, in plain words.
    public var reason: String { facts.reason }
    /// The request of the last exchange; nil if no request could be made.
    public var request: RequestHead? { facts.request }
    /// The head of the response; nil if no head arrived.
    public var head: ResponseHead? { facts.head }
    /// The entries that were considered for the response, and the result of each entry. Nil if the call failed before
    /// the registry got a response, or for a reason outside the registry, such as a lost connection. If an entry
    /// unwrapped the body, this is the decision about the inner body.
    public var decision: Decision? {
        guard let decision = facts.unwrapped ?? facts.decision, let outcome = facts.outcome else {
            return facts.decision
        }
        return decision.ended(outcome, by: facts.entry, after: facts.attempts)
    }
    /// The bytes of the response that arrived; nil if no head arrived.
    public var body: ResponseBody? { facts.body }
    /// For code `status`: the value that the registry made of the body. A `ResponseBody` if no entry covers the body, or
    /// if the factory of the entry is `raw`; nil if making the value failed.
    public var value: (any Sendable)? { facts.value }
    /// For code `status`: the reason that the body could not be received or serialized.
    public var bodyFailure: (any Error)? { facts.bodyFailure }
    /// The underlying error, as it was thrown: a `TransportFailure`, a `FormatFailure`, a `POSIXError` of a file, or
    /// the error of your serializer, validator, interceptor or request body.
    public var cause: (any Error)? { facts.cause }
    /// For a refused retry: the failure after which the call was not retried.
    public var original: SessionError? { facts.original }

    /// The times at which the steps of the call ended; before a retry, the times so far. Nil for an error that ended no
    /// attempt, such as an error of `Reply.decode(as:)`.
    public var timeline: CallTimeline? { facts.timeline }
    /// The means to resume a resumable download; nil if no part of it is kept.
    public var resumption: DownloadResumption? { facts.resumption }
    /// Every entry that was considered for writing the body of the request, in order, with the reason that it was
    /// chosen or not. An entry that was chosen, or that threw, is the last. Nil if no entry was considered.
    public var written: Decision? { facts.writer.map { Decision($0, failure: facts.writingFailure) } }
    /// The number of retries before this failure.
    public var retries: Int { facts.retries }
    /// Whether a redirect dropped a credential of the request that failed.
    public var droppedCredentials: Bool { facts.droppedCredentials }

    /// Makes a value from the body of the error, with the registry that the task was created with.
    /// - Throws: `SessionError`; code `emptyBody` if no response arrived.
    public func decode<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Value {
        guard let decision = facts.decision, let body else {
            throw SessionError(.emptyBody, "there is no response to decode: \(reason)", cause: self)
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
                "code": code, "request": request as Any, "head": head as Any, "body": body as Any,
                "value": value.map { "\(type(of: $0))" } as Any, "decision": decision as Any,
                "cause": cause.map { FailureReason($0) } as Any,
                "timeline": timeline as Any, "resumption": resumption as Any, "retries": retries,
            ], displayStyle: .struct)
    }
}

extension SessionError.Code: CustomStringConvertible {
    public var description: String { rawValue }
}

extension SessionError.Code {
    // Before the request was sent.

    /// The request breaks a rule and was not sent.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// An interceptor threw in `adapt` or in `sign`; `cause` is its error.
    public static let adaptation = Self(rawValue: "adaptation")
    /// An `AuthenticationInterceptor` has no credential.
    public static let missingCredential = Self(rawValue: "missingCredential")
    /// The call was made after its manager was invalidated or shut down.
    public static let invalidated = Self(rawValue: "invalidated")

    /// No entry for the host writes the body in its media type: each entry is for other types, only reads, or declines
    /// the value. Or the request's `Content-Type` is not a media type; in this case no entry was considered. Nothing
    /// was sent. The sentence names the entries that cover the type, and `written` has every entry with its reason.
    public static let noWriter = Self(rawValue: "noWriter")
    /// The entry that writes the body threw, and `cause` is its error. Or the charset of the media type lacks a
    /// character of the text. Nothing was sent, except that elements of a sequence can have been sent before the failed
    /// element.
    public static let writing = Self(rawValue: "writing")

    // The exchange.

    /// The exchange could not be carried out; `cause` is a `TransportFailure`.
    public static let transport = Self(rawValue: "transport")
    /// The source of the content failed while it was sent; `cause` is its error.
    public static let unreadableContent = Self(rawValue: "unreadableContent")
    /// No byte was sent or received during the idle timeout, or the call waited that long for a connection, or the body of
    /// an error took longer. The sentence of the error says which of them happened.
    public static let idleTimeout = Self(rawValue: "idleTimeout")
    /// The request has `Cache-Control: only-if-cached`, and `SessionConfiguration.cache` has no answer that it may use.
    /// Nothing was sent.
    public static let notCached = Self(rawValue: "notCached")
    /// An attempt took longer than `RetryPolicy.attemptTimeout`.
    public static let attemptTimeout = Self(rawValue: "attemptTimeout")
    /// The call took longer than the total timeout.
    public static let totalTimeout = Self(rawValue: "totalTimeout")
    /// The `SessionTask` of the call, or the Swift task that made the call, was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A redirect led to a target that redirects must not lead to.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// There were more redirects than the configuration follows.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The call failed, and an interceptor refused to retry it. `cause` is the error of the interceptor, and `original`
    /// is the failure of the call.
    public static let retryRefused = Self(rawValue: "retryRefused")
    /// The call's credential was refused, and had been renewed too often already; `original` is the failure.
    public static let excessiveRefresh = Self(rawValue: "excessiveRefresh")

    // The response.

    /// The status is not acceptable. `value` has the decoded body.
    public static let status = Self(rawValue: "status")
    /// The server answered a conditional request with status 304: the resource has not changed. See
    /// `SessionRequest.onlyIfChanged(since:)`.
    public static let notModified = Self(rawValue: "notModified")
    /// A validator of the request refused the response; `cause` is its error.
    public static let validation = Self(rawValue: "validation")
    /// The body, or one element of a stream, exceeds a limit, which the sentence of the error names.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// No available entry serializes the response, or no entry gives the wanted type. The sentence of the error says
    /// which of the two is true.
    public static let noReader = Self(rawValue: "noReader")
    /// The request names an entry that the registry does not have.
    public static let unknownEntry = Self(rawValue: "unknownEntry")
    /// There is no Content-Type, and the policy makes its absence an error.
    public static let missingContentType = Self(rawValue: "missingContentType")
    /// Content-Type is not a media type (RFC 9110, section 8.3.1), and the policy makes that an error.
    public static let invalidContentType = Self(rawValue: "invalidContentType")
    /// There is no body, and the wanted type has no empty value, or the policy makes an empty body an error.
    public static let emptyBody = Self(rawValue: "emptyBody")
    /// The body cannot be read as the wanted value; `cause` is the error of the serializer, a `FormatFailure` for a
    /// built-in format.
    public static let serialization = Self(rawValue: "serialization")
    /// A second loop tried to read the elements of a stream.
    public static let alreadyRead = Self(rawValue: "alreadyRead")

    // The file.

    /// The file of a download, a form or a cookie jar could not be written, or the file of a download or a cookie jar
    /// could not be read; `cause` is a `POSIXError` if the system gave the reason.
    public static let file = Self(rawValue: "file")
    /// The response is not the missing part of the file to be resumed, or the request is for another file.
    public static let resumption = Self(rawValue: "resumption")

    /// The codes of a response that the call cannot use.
    static let ofUnusableResponse: Set<Self> = [
        .validation, .bodyTooLarge, .noReader, .unknownEntry, .missingContentType, .invalidContentType, .emptyBody,
        .serialization,
    ]
}

struct SessionErrorFacts: Sendable {
    var code: SessionError.Code
    var reason: String
    var request: RequestHead?
    var head: ResponseHead?
    var decision: Decision?
    var unwrapped: Decision?
    /// The outcome of the look-up for the body; nil before that look-up has ended.
    var outcome: Decision.Outcome?
    var body: ResponseBody?
    var value: (any Sendable)?
    var entry: String?
    var attempts: [Attempt] = []
    var bodyFailure: (any Error)?
    var cause: (any Error)?
    var original: SessionError?
    var timeline: CallTimeline?
    /// The steps of an exchange without a response, and of the redirects before it; nil before the first exchange.
    var exchange: ExchangeTimings?
    var hops: [ExchangeTimings] = []
    var resumption: DownloadResumption?
    /// The look-up of the entry that wrote the body; nil if no look-up was needed.
    var writer: WriterLookup?
    /// The error that the entry threw while it wrote the body.
    var writingFailure: (any Error)?
    var retries = 0
    /// While an interceptor decides: the number of earlier retries that it caused, and the notes that reserve a retry.
    var ownRetries = 0
    var adaptation: Adaptation?
    var droppedCredentials = false

    init(_ code: SessionError.Code, _ reason: String, cause: (any Error)?) {
        self.code = code
        self.reason = reason
        self.cause = cause.flatMap(Self.published)
    }

    /// The underlying error as callers see it; nil for an internal error that contains only the reason.
    private static func published(_ error: any Error) -> (any Error)? {
        switch error {
        case is ContentFailure: nil
        case let failure as FileFailure: failure.systemError
        default: FormatFailure.published(error)
        }
    }

    mutating func add(_ head: ResponseHead) {
        self.head = head
        request = head.request
    }

    mutating func add(_ decision: Decision, _ body: ResponseBody) {
        self.decision = decision
        self.body = body
        add(decision.head)
    }
}
