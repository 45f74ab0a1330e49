import PatchbayPlatform
import PatchbayRegistry

/// The errors of each stage of the data path.
extension SessionError {
    /// The error of a timeout or a cancellation.
    /// - Parameter timings: the steps that the exchange had reached; nil if there was no exchange.
    init(_ end: Timeouts.End, _ timings: ExchangeTimings? = nil) {
        let step = timings?.openClause.map { ": \($0)" } ?? ""
        switch end {
        case .idle(let limit) where timings?.isUnanswered == true:
            self.init(.idleTimeout, "connected, request sent, and no answer for \(limit.text)")
        case .idle(let limit): self.init(.idleTimeout, "no byte moved for \(limit.text)\(step)")
        case .attempt(let limit):
            self.init(.attemptTimeout, "the attempt was not over after \(limit.text)\(step)")
        case .total(let limit): self.init(.totalTimeout, "the call was not over after \(limit.text)\(step)")
        case .body(let limit): self.init(.idleTimeout, "the body was not over \(limit.text) after the head")
        case .cancelled: self.init(.cancelled, "the call was cancelled")
        case .unconnected(let end, let shortage):
            self.init(end)
            let timeout =
                switch end {
                case .attempt(let limit): "attempt timeout of \(limit.text)"
                case .idle(let limit), .body(let limit): "idle timeout of \(limit.text)"
                case .total(let limit): "total timeout of \(limit.text)"
                case .cancelled, .unconnected: "time"
                }
            facts.reason = "the call waited for a connection until its \(timeout) ran out: \(shortage)"
        }
    }

    init(_ failure: FileFailure) {
        self.init(.file, failure.description, cause: failure)
    }

    init(resuming refusal: Refusal) {
        self.init(.resumption, "the download cannot be resumed: \(refusal.reason)")
    }

    static let invalidated = SessionError(
        .invalidated, "the request was not sent: the session manager was invalidated before the call was made")

    static let alreadyRead = SessionError(
        .alreadyRead, "the elements were asked for a second time: a stream can be read once")

    /// The error of a cancelled call, with the facts of the result that it had.
    init<Value>(cancelling result: Result<Reply<Value>, SessionError>) {
        switch result {
        case .failure(let error) where error.code == .cancelled: self = error
        case .failure(let error):
            self.init(Timeouts.End.cancelled, of: error)
            facts.timeline = error.timeline
        case .success(let reply):
            self = SessionError(Timeouts.End.cancelled).with(reply.head).timed(reply.timeline)
            facts.retries = reply.timeline.retries
            facts.writer = reply.writer
        }
    }

    init(_ failure: TransportFailure) {
        self.init(failure == .notCached ? .notCached : .transport, failure.reason, cause: failure)
    }

    /// The error of a request's content whose source threw.
    init(unreadableContent error: any Error) {
        if let failure = error as? WritingFailure {
            self.init(.writing, "the body was cut off: \(failure.description)", cause: failure.cause) {
                $0.writingFailure = failure.cause
            }
            return
        }
        let why = FailureReason(error, naming: "its source threw")
        self.init(.unreadableContent, "the content could not be read: \(why)", cause: error)
    }

    /// This error, with the reason that nothing more was tried; the same error for nil.
    func adding(_ clause: String?) -> SessionError {
        var error = self
        if let clause { error.facts.reason += "; " + clause }
        return error
    }

    init(refusedRedirect refusal: Refusal, status: Int) {
        self.init(.redirectRefused, "the redirect of status \(status) was refused: \(refusal.reason)")
    }

    /// - Parameter cookies: the setting without which cookies of the redirects were not sent back; nil if there were none.
    init(tooManyRedirects limit: Int, without cookies: String?) {
        let hint = cookies.map {
            "; the redirects set cookies, and a cookie jar that sends them back may end this (\($0))"
        }
        self.init(.tooManyRedirects, "the call was redirected more than \(limit) times\(hint ?? "")")
    }

    /// The error of a response for which the registry found no entry, or whose entry failed.
    init(_ failure: LookupFailure, _ decision: Decision, _ body: ResponseBody) {
        self.init(Self.code(failure.code), failure.description, cause: failure.cause) {
            $0.add(decision, body)
            $0.unwrapped = failure.decision
            $0.outcome = .error
            $0.entry = failure.entry
            $0.attempts = failure.attempts
        }
    }

    private static func code(_ code: LookupFailure.Code) -> Code {
        switch code {
        case .cancelled: .cancelled
        case .serialization, .undecodableText: .serialization
        case .bodyTooLarge: .bodyTooLarge
        case .missingContentType: .missingContentType
        case .invalidContentType: .invalidContentType
        case .emptyBody: .emptyBody
        case .unknownEntry: .unknownEntry
        default: .noReader
        }
    }

    /// The error of an unacceptable status. `serialized` is nil if no value was made of the body.
    init(
        unacceptable decision: Decision, _ body: ResponseBody, _ serialized: SerializationResult<any Sendable>?,
        bodyFailure: SessionError?
    ) {
        let acceptable = decision.acceptableStatus.description
        let isNotModified = decision.head.isNotModified
        self.init(
            isNotModified ? .notModified : .status,
            isNotModified
                ? "the resource has not changed (status 304)"
                : "the status is \(decision.head.status), which is not acceptable (\(acceptable))"
        ) {
            $0.add(decision, body)
            $0.bodyFailure = bodyFailure
            $0.value = serialized?.value
            $0.unwrapped = serialized?.unwrapped ?? bodyFailure?.facts.unwrapped
            $0.outcome = serialized?.outcome ?? .error
            $0.entry = serialized?.entry ?? bodyFailure?.facts.entry
            $0.attempts = serialized?.attempts ?? bodyFailure?.facts.attempts ?? []
        }
    }

    /// Adds to the sentence of a status 415 the media type that was sent, the entry that wrote the body, and the types
    /// in the server's `Accept-Post` (LDP, section 7.1) and `Accept-Patch` (RFC 5789, section 3.1).
    mutating func nameUnsupportedType() {
        // A redirect to GET has removed the body and its type.
        guard code == .status, let head, head.status == 415, let type = head.request.fields["Content-Type"] else {
            return
        }
        let shown = MediaType(parsing: type).map { "\(ShownType($0))" } ?? "a Content-Type that is not a media type"
        let writer = facts.writer?.writer.map { ", which the entry \($0.entry) wrote" } ?? ""
        facts.reason += "; the body was sent as \(shown)\(writer)"
        for name in ["Accept-Post", "Accept-Patch"] {
            let offered = ContentType.list(head.fields.values(for: name)).map { "\(ShownType($0))" }
            if !offered.isEmpty {
                facts.reason += "; \(name) of the server names \(QuotedList(offered, quoted: false))"
            }
        }
    }

    /// The error of a response that a validator refused.
    init(invalid decision: Decision, _ body: ResponseBody, _ cause: any Error) {
        let why = FailureReason(cause, naming: "a validator threw")
        self.init(.validation, "the response is not valid: \(why)", cause: cause) {
            $0.add(decision, body)
        }
    }

    /// The error of a stream that is to be reconnected but is not a GET: only a GET can be sent again.
    init(unrepeatable method: String) {
        self.init(
            .invalidRequest, "the request was not sent: only the stream of a GET is asked for again, not of \(method)")
    }

    /// The error of a stream that is to be reconnected but whose elements have no position to resume from.
    init(withoutPlaces decision: Decision) {
        let made = decision.entryID.map { "the elements of entry \($0)" } ?? "these elements"
        self.init(
            .noReader, "the stream could not be asked for again where it breaks off: \(made) are no server-sent events"
        ) {
            $0.add(decision, .empty)
            $0.outcome = .error
            $0.entry = decision.entryID
        }
    }

    /// The error of a reconnection whose response does not continue the stream.
    init(_ decision: Decision, insteadOf last: Decision) {
        func reader(_ decision: Decision) -> String { decision.entryID.map { "entry \($0)" } ?? "no entry" }
        let answer = "\(ShownType(decision.head.contentType)) with status \(decision.head.status)"
        let now = decision.outcome == .empty ? "without a body" : "for \(reader(decision)), and not for \(reader(last))"
        self.init(
            .noReader, "the stream does not go on: \(answer) is \(now)"
        ) {
            $0.add(decision, .empty)
            $0.outcome = .error
            $0.entry = decision.entryID
        }
    }

    /// The error of a body that exceeds the limit of the request, of its entry or of the policy.
    init(tooLarge decision: Decision, _ body: ResponseBody, limit: BodyLimit) {
        self.init(.bodyTooLarge, "the body is larger than \(limit)") {
            $0.add(decision, body)
            $0.outcome = .error
            $0.entry = decision.entryID
        }
    }

    func with(_ request: RequestHead) -> SessionError {
        var error = self
        error.facts.request = request
        return error
    }

    func with(_ head: ResponseHead) -> SessionError {
        var error = self
        error.facts.add(head)
        return error
    }

    func with(_ timings: ExchangeTimings, after hops: [ExchangeTimings]) -> SessionError {
        var error = self
        (error.facts.exchange, error.facts.hops) = (timings, hops)
        return error
    }

    func timed(_ timeline: CallTimeline) -> SessionError {
        var error = self
        error.facts.timeline = timeline
        return error
    }

    /// Returns the error with the timeline of its call, which ends at `ended`. Without a response, every step does.
    func timed(since start: Date, ended: Duration) -> SessionError {
        let known =
            timeline ?? CallTimeline(start: start, ended: ended, facts.exchange ?? ExchangeTimings(), after: facts.hops)
        return timed(
            CallTimeline(
                start: known.start, head: known.head, body: known.body, serialized: known.serialized, ended: ended,
                exchange: known.exchange, hops: known.hops, redirects: known.redirects, retries: retries))
    }
}

extension Duration {
    /// The duration in seconds, for a sentence: `2 s`, `0.5 s`.
    package var text: String {
        let components = max(waitable, .zero).components
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(components.seconds) s" : "\(seconds) s"
    }
}
