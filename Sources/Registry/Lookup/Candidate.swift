/// One entry that was asked whether it serializes a response, and what came of it.
public struct Candidate: Sendable, Hashable {
    /// What came of the question.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// It does not cover the response, declines it by a check of its own, or cannot make the wanted type.
        case declined
        /// It was chosen, and its serializer threw or the body outgrew its limit.
        case failed
        case chosen
    }

    /// The id of the entry; `(request)` for a serializer that the request brought.
    public let entry: String
    /// What came of it.
    public let verdict: Verdict
    /// Why, in plain words.
    public let reason: String
}

extension Candidate: CustomStringConvertible {
    /// `json: declined: text/csv is outside @json`
    public var description: String { "\(entry): \(verdict.rawValue): \(reason)" }
}
