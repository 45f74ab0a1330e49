public import PatchbayPlatform
public import PatchbayRegistry

/// One thing that happened to a call or to its manager.
public struct SessionEvent: Sendable {
    /// The kinds of event. Their usual order is `created`, `resumed`, `adapted`, `sending`, `head`, `received`,
    /// `serialized`, `finished`.
    public enum Stage: Sendable {
        /// The task was made.
        case created
        /// The task was started, or continues after a suspension.
        case resumed
        case suspended
        /// The task was cancelled; `finished` follows.
        case cancelled
        /// The interceptors have adapted the request, which is given without its content. This event occurs only if
        /// there are interceptors.
        case adapted(SessionRequest)
        /// A request is passed to the transport, with the cookies of the jar: the first request, and one more for each
        /// redirect and each retry.
        case sending(RequestHead)
        /// This many more bytes of the request's body were passed to the network.
        case sent(bytes: Int)
        /// Cookies of the jar were not sent with the request, or cookies of the response were refused, or cookies of the
        /// jar were dropped for them.
        case cookies([CookieNotice])
        /// The response was a redirect, and the call follows it to the URL.
        case redirected(ResponseHead, to: URL)
        /// The head of the response arrived, and the registry decided which entry serializes it.
        case head(ResponseHead, Decision)
        /// This many more bytes of the response's body arrived, after content decoding.
        case received(bytes: Int)
        /// The exchange ended, and `SessionConfiguration.cache` handled its request in this way. If a stored response was
        /// used and nothing was sent, there is no `sending`.
        case cache(CacheStatus)
        /// A part of the response, of the request or of the environment can't be used, and the call goes on without it. The
        /// text is one clause that quotes nothing secret.
        ///
        /// A stream of server-sent events that reconnects reports in this way the first id of an event that no request can
        /// send: an id with a control character, or of more than 512 KiB.
        case noted(String)
        /// The call failed and is tried again now. The error has no `body` and no `value`, and the timeline of the call so
        /// far.
        case retrying(after: SessionError)
        /// The value of the call was made. The decision has the outcome and the entry that made the value.
        case serialized(Decision)
        /// The call ended. This is the last event of every call, and occurs exactly one time, after the completion
        /// handlers of the call have returned. The reply has no value and an empty body, and the error has no value and
        /// no body. For observers with `wantsBodies`, `SessionEvent.value` has the value and `SessionEvent.body` has
        /// the body.
        case finished(Result<Reply<Void>, SessionError>)
        /// The manager was invalidated and its last task has ended.
        case invalidated
    }

    /// The call; nil for an event of the manager itself.
    public let task: SessionTask?
    /// The step of the call that the event reports.
    public internal(set) var stage: Stage
    /// The time of the event by the clock of the system, however late it is delivered. Byte counts that were added up
    /// have the time of the last of them.
    public internal(set) var time = Date()
    /// How many events were dropped before this one because the observers were too slow.
    public internal(set) var missed = 0
    /// The value of the call, or the value made of the body of its error. Set for `finished`, and only if an observer
    /// has `wantsBodies`.
    ///
    /// Also nil if the bodies of waiting events took too much memory: together they are limited to 1 MiB, but a single
    /// body can be larger.
    public private(set) var value: (any Sendable)?
    /// The bytes that arrived, under the same conditions as `value`.
    public private(set) var body: ResponseBody?

    /// The exchange that was on the wire when the event happened.
    let wire: SessionTask.Wire

    /// An event for a test of an observer.
    /// - Parameters:
    ///   - stage: the step of the call that the event reports.
    ///   - task: the call; nil for an event of the manager itself.
    public init(_ stage: Stage, task: SessionTask? = nil) { self.init(task: task, stage: stage) }

    /// - Parameter wire: the exchange on the wire; if nil, the current exchange of the task.
    init(task: SessionTask?, _ wire: SessionTask.Wire? = nil, stage: Stage) {
        self.task = task
        self.wire = wire ?? task?.wire ?? SessionTask.Wire()
        self.stage = stage
    }

    /// The end of a call, with its outcome.
    init(task: SessionTask, finished outcome: Result<Reply<any Sendable>, SessionError>) {
        self.task = task
        wire = task.wire
        switch outcome {
        case .success(let reply):
            stage = .finished(.success(reply.withoutBody()))
            (value, body) = (reply.value, reply.body)
        case .failure(let error):
            stage = .finished(.failure(error.withoutBody()))
            (value, body) = (error.value, error.body)
        }
    }

    /// The times of the call, for `finished` and `retrying`; nil for other events, and for an error without times.
    public var timeline: CallTimeline? {
        switch stage {
        case .finished(.success(let reply)): reply.timeline
        case .finished(.failure(let error)), .retrying(after: let error): error.timeline
        default: nil
        }
    }

    func withoutBody() -> SessionEvent {
        var event = self
        event.value = nil
        event.body = nil
        return event
    }
}

extension SessionEvent.Stage {
    /// The sum of two byte counts in the same direction; nil for any other pair of stages.
    func adding(_ next: Self) -> Self? {
        switch (self, next) {
        case (.sent(let bytes), .sent(let more)): .sent(bytes: bytes + more)
        case (.received(let bytes), .received(let more)): .received(bytes: bytes + more)
        default: nil
        }
    }
}

extension SessionEvent: CustomStringConvertible, CustomReflectable {
    /// The call at the time of the event, and the step: `GET http://example.com/a (200): head 200`.
    public var description: String {
        (task.map { $0.description(of: wire) + ": " } ?? "")
            + stage.description(hiding: task?.list.maskedPathSegments ?? [])
            + (missed > 0 ? ", \(missed) dropped before" : "")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension SessionEvent.Stage: CustomStringConvertible, CustomReflectable {
    public var description: String { description(hiding: []) }

    /// - Parameter named: path segments to hide.
    func description(hiding named: Set<String>) -> String {
        switch self {
        case .created: "created"
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .adapted(let request): "adapted to \(request.description(hiding: named))"
        case .sending(let head): "sending \(head)"
        case .sent(let bytes): "sent \(ByteCount(bytes))"
        case .cookies(let notices): notices.sentences.joined(separator: ", ")
        case .redirected(let head, let url):
            "redirected with status \(head.status) to "
                + Redaction.masked(url.absoluteString, named: head.request.maskedPathSegments)
        case .head(let head, _): "head \(head)"
        case .received(let bytes): "received \(ByteCount(bytes))"
        case .cache(let status): "cache: \(status)"
        case .noted(let clause): "noted: \(clause)"
        case .retrying(let error): "retrying after \(error)"
        case .serialized(let decision): "serialized, \(Self.result(decision.outcome, decision.entry))"
        case .finished(.success(let reply)): "finished, \(Self.result(reply.outcome, reply.entry))"
        case .finished(.failure(let error)): "finished: \(error)"
        case .invalidated: "invalidated"
        }
    }

    /// `read by json`, or the outcome alone.
    private static func result(_ outcome: Decision.Outcome, _ entry: String?) -> String {
        outcome == .entry ? "read by \(entry ?? "the serializer of the request")" : "\(outcome)"
    }

    public var customMirror: Mirror { Mirror(described: self) }
}

// Copies for events that wait: without bodies, and without the values made of the bodies.

extension SessionError {
    /// Returns a copy without body and value. Nested `SessionError`s have no body and no value either.
    func withoutBody() -> SessionError {
        var facts = facts
        facts.body = nil
        facts.value = nil
        facts.cause = facts.cause.map(Self.withoutBody)
        facts.bodyFailure = facts.bodyFailure.map(Self.withoutBody)
        facts.original = facts.original?.withoutBody()
        var error = self
        error.facts = facts
        return error
    }

    private static func withoutBody(_ error: any Error) -> any Error {
        (error as? SessionError)?.withoutBody() ?? error
    }
}

extension SessionRequest {
    func withoutContent() -> SessionRequest {
        var request = self
        request.content = nil
        return request
    }
}
