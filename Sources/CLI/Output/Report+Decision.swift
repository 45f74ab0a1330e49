import Patchbay
import PatchbayPlatform

extension Report {
    /// A decision alone, as `explain` shows it.
    init(_ decision: Decision) {
        self.init(
            head: decision.head, outcome: Outcome(rawValue: decision.outcome.rawValue) ?? .error, tried: decision.tried)
        entry = outcome == .entry ? decision.entryID : nil
    }

    /// A response that was received and serialized.
    init(_ reply: Reply<any Sendable>) {
        self.init(reply.head, outcome: reply.outcome, reply.value, entry: reply.entry, tried: reply.tried)
        timeline = reply.timeline
    }

    /// A response whose bytes went to a file: there is no value to show.
    init(saved reply: Reply<URL>) {
        self.init(head: reply.head, outcome: .raw, tried: reply.decision.tried)
        type = "URL"
        timeline = reply.timeline
    }

    /// Bytes at hand that were serialized.
    init(_ decision: Decision, _ serialized: SerializationResult<any Sendable>) {
        self.init(
            decision.head, outcome: serialized.outcome, serialized.value, entry: serialized.entry,
            tried: (serialized.unwrapped ?? decision).tried(after: serialized.attempts))
    }

    /// A call that gave no value; what is known of its response, and of an error status the decoded body.
    init(_ error: SessionError) {
        self.init(head: error.head, outcome: .error, tried: error.tried)
        entry = error.entry
        if let value = error.value { show(value) }
        self.error = .object([
            ("code", JSON(error.code.rawValue)), ("stage", JSON(error.stage.rawValue)),
            ("message", JSON(error.description)),
            ("attempts", Self.json(error.attempts)),
            ("bodyFailure", error.bodyFailure.map { JSON(String(describing: $0)) } ?? .null),
        ])
    }

    /// Bytes at hand of which the registry made nothing.
    init(_ decision: Decision, _ failure: LookupFailure) {
        self.init(
            head: decision.head, outcome: .error,
            tried: failure.tried)
        entry = failure.entry
        error = .object([
            ("code", JSON(failure.code.rawValue)), ("stage", "serialization"), ("message", JSON(failure.description)),
            ("attempts", Self.json(failure.attempts)), ("bodyFailure", .null),
        ])
    }

    private init(
        _ head: ResponseHead, outcome: SerializationOutcome, _ value: any Sendable, entry: String?, tried: [Candidate]
    ) {
        self.init(head: head, outcome: Outcome(rawValue: outcome.rawValue) ?? .value, tried: tried)
        self.entry = entry
        if outcome != .empty { show(value) }
    }

    private init(head: ResponseHead?, outcome: Outcome, tried: [Candidate]) {
        status = head?.status
        contentType = head?.contentType
        self.outcome = outcome
        self.tried = tried
    }

    /// Shows a value, or the body that no value was made of.
    mutating func show(_ value: any Sendable) {
        let printed = PrintedValue(value)
        type = printed.type
        self.value = printed.json
    }

    private static func json(_ attempts: [Attempt]) -> JSON {
        .array(attempts.map { ["entry": JSON($0.entry), "error": JSON($0.description)] })
    }
}
