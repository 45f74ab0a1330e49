import Patchbay
import PatchbayPlatform

/// The document of `--format json`: one response, the decision about it, and the result.
struct Report {
    var status: Int?
    /// The URL that answered, after redirects.
    var url: String?
    var fields: HeaderFields = [:]
    var contentType: ContentType?
    var entry: String?
    var outcome: Decision.Outcome
    var type: String?
    var value: JSON = .null
    var tried: [Decision.Candidate] = []
    var timeline: CallTimeline?
    var error: JSON = .null
    /// The bytes of which the value was made; nil if they are not at hand.
    var body: ResponseBody?
    var showsSecrets = false

    var json: JSON { .object(members) }

    /// All members, in the order of the schema.
    var members: [(String, JSON)] {
        [
            ("status", JSON(orNull: status)),
            ("url", JSON(orNull: url.map { showsSecrets ? $0 : Secrets.masked(url: $0) })),
            ("fields", .array(fields.map { json($0) })),
            ("contentType", contentType?.mediaType.map(Self.json) ?? .null),
            ("entry", JSON(orNull: entry)),
            ("outcome", JSON(outcome.rawValue)),
            ("type", JSON(orNull: type)),
            ("value", value),
            ("tried", .array(tried.map(Self.json))),
            ("timeline", timeline.map(Self.json) ?? .null),
            ("error", error),
        ]
    }

    private func json(_ field: HeaderFields.Element) -> JSON {
        let value = showsSecrets ? field.value : Secrets.masked(field.value, of: field.name)
        return ["name": JSON(field.name), "value": JSON(value)]
    }

    private static func json(_ asked: Decision.Candidate) -> JSON {
        ["entry": JSON(asked.entry), "verdict": JSON(asked.verdict.rawValue), "reason": JSON(asked.reason)]
    }

    private static func json(_ type: MediaType) -> JSON {
        [
            "essence": JSON(type.essence),
            "parameters": .object(type.parameters.map { ($0.name, JSON($0.value)) }),
            "serialized": JSON(type.description),
        ]
    }

    /// Times in seconds since the start of the call; in `exchange`, since the start of the call's last exchange.
    private static func json(_ timeline: CallTimeline) -> JSON {
        let exchange = timeline.exchange
        return [
            "head": seconds(timeline.head), "body": seconds(timeline.body), "serialized": seconds(timeline.serialized),
            "ended": seconds(timeline.ended), "redirects": JSON(timeline.redirects),
            "exchange": [
                "queue": seconds(exchange.queue), "nameLookup": seconds(exchange.nameLookup),
                "connect": seconds(exchange.connect), "secureConnect": seconds(exchange.secureConnect),
                "requestSent": seconds(exchange.requestSent), "firstByte": seconds(exchange.firstByte),
                "total": seconds(exchange.total), "httpVersion": JSON(orNull: exchange.httpVersion),
                "reusedConnection": exchange.reusedConnection.map { JSON($0) } ?? .null,
                "remoteAddress": JSON(orNull: exchange.remoteAddress),
                "remotePort": JSON(orNull: exchange.remotePort), "tlsVersion": JSON(orNull: exchange.tlsVersion),
            ],
        ]
    }

    private static func seconds(_ duration: Duration?) -> JSON {
        guard let (seconds, attoseconds) = duration?.components else { return .null }
        // Whole microseconds: more digits would be noise.
        let microseconds: Double = Double(seconds) * 1e6 + (Double(attoseconds) / 1e12).rounded()
        return JSON(microseconds / 1e6)
    }
}

extension Report {
    /// The value, or the reason that there is no value, for one cell of a table.
    var summary: String {
        if let base64 = value["base64"]?.string {
            return "\(base64.utf8.filter { $0 != UInt8(ascii: "=") }.count * 3 / 4) bytes"
        }
        if value != .null { return value.string ?? value.description }
        let reason = error["attempts"]?[0]?["error"] ?? error["message"]
        return reason?.string ?? (outcome == .entry ? "null" : "-")
    }

    /// The media type for one cell of a table; `invalid` or `-` if there is none.
    var mediaType: String {
        switch contentType {
        case .mediaType(let type): type.description
        case .invalid: "invalid"
        case .missing, nil: "-"
        }
    }
}

extension Report {
    /// A report of a decision alone, for `explain`.
    init(_ decision: Decision) {
        self.init(head: decision.head, outcome: decision.outcome, tried: decision.candidates)
        entry = decision.answer.entry
    }

    /// A report of writing a body, or of the failure to write it.
    init(_ written: WrittenBody) {
        let decision = written.decision
        self.init(decision)
        status = nil
        entry = decision.entry
        if let failure = written.failure { fail(failure.code, failure.sentence) }
    }

    init(_ reply: Reply<any Sendable>, showsSecrets: Bool = false) {
        self.init(reply.head, outcome: reply.outcome, reply.value, entry: reply.entry, tried: reply.decision.candidates)
        timeline = reply.timeline
        show(reply.head, secrets: showsSecrets)
        body = reply.body
    }

    /// A report of a response whose bytes were written to a file.
    init(saved reply: Reply<URL>, showsSecrets: Bool = false) {
        self.init(head: reply.head, outcome: .raw, tried: reply.decision.candidates)
        (type, value) = ("URL", JSON(reply.value.path(percentEncoded: false)))
        timeline = reply.timeline
        show(reply.head, secrets: showsSecrets)
    }

    /// A report of the serialized bytes of a file.
    init(_ decision: Decision, _ serialized: SerializationResult<any Sendable>) {
        self.init(
            decision.head, outcome: serialized.outcome, serialized.value, entry: serialized.entry,
            tried: (serialized.unwrapped ?? decision).tried(after: serialized.attempts))
    }

    /// A report of a call without a value: the known facts of its response, and the decoded body of an error status.
    init(_ error: SessionError, showsSecrets: Bool = false) {
        self.init(head: error.head, outcome: .error, tried: error.failedDecision?.candidates ?? [])
        timeline = error.timeline
        if let head = error.head { show(head, secrets: showsSecrets) }
        entry = error.failedDecision?.entry
        if let value = error.value { show(value) }
        fail(error.code.rawValue, error.description, body: error.bodyFailure)
    }

    /// A report of the bytes of a file that the registry could not serialize.
    init(_ decision: Decision, _ failure: LookupFailure) {
        self.init(head: decision.head, outcome: .error, tried: failure.tried)
        entry = failure.entry
        fail(failure.code.rawValue, failure.description)
    }

    private init(
        _ head: ResponseHead, outcome: Decision.Outcome, _ value: any Sendable, entry: String?,
        tried: [Decision.Candidate]
    ) {
        self.init(head: head, outcome: outcome, tried: tried)
        self.entry = entry
        if outcome != .empty { show(value) }
    }

    private init(head: ResponseHead?, outcome: Decision.Outcome, tried: [Decision.Candidate]) {
        self.init(status: head?.status, contentType: head?.contentType, outcome: outcome, tried: tried)
    }

    /// Shows the URL and the fields of a response that came over the network.
    private mutating func show(_ head: ResponseHead, secrets: Bool) {
        (url, fields, showsSecrets) = (head.url.absoluteString, head.fields, secrets)
    }

    mutating func show(_ value: any Sendable) {
        let printed = PrintedValue(value)
        type = printed.type
        self.value = printed.json
    }

    /// Adds the failure of the call.
    /// - Parameter body: the reason that there is no value of the body, if that is not the failure itself.
    mutating func fail(_ code: String, _ message: String, body: (any Error)? = nil) {
        let attempts = tried.filter { $0.verdict == .failed }.map { tried -> JSON in
            ["entry": JSON(tried.entry), "error": JSON("\(tried.entry): \(tried.reason)")]
        }
        error = [
            "code": JSON(code), "message": JSON(message), "attempts": .array(attempts),
            "bodyFailure": JSON(orNull: body.map { "\(FailureReason($0))" }),
        ]
    }
}

extension SessionError {
    /// The decision of the error: about the body of the request if it was not written, else about the response.
    var failedDecision: Decision? { [.noWriter, .writing].contains(code) ? written : decision }
}
