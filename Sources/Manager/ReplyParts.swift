import PatchbayRegistry

/// What a reply is besides its value and its timeline.
///
/// A class of constants only, so that the stages of a call hand a reply on for the price of one reference.
final class ReplyParts: Sendable {
    let outcome: SerializedOutcome
    let entry: String?
    let decision: Decision
    let unwrapped: Decision?
    let attempts: [Attempt]
    let body: ResponseBody

    init<Value>(_ serialized: Serialized<Value>, _ result: ExchangeResult) {
        outcome = serialized.outcome
        entry = serialized.entry
        decision = result.decision
        unwrapped = serialized.unwrapped
        attempts = serialized.attempts
        body = result.body
    }

    private init(_ parts: ReplyParts, _ body: ResponseBody) {
        outcome = parts.outcome
        entry = parts.entry
        decision = parts.decision
        unwrapped = parts.unwrapped
        attempts = parts.attempts
        self.body = body
    }

    func replacing(_ body: ResponseBody) -> ReplyParts { ReplyParts(self, body) }
}
