import PatchbayJSON
import PatchbayPlatform

extension Decision {
    /// An entry that was considered for a response or for the body of a request, with its answer.
    public struct Candidate: Sendable {
        /// The answer of an entry.
        public enum Verdict: String, Sendable, Hashable, CaseIterable {
            /// The entry does not cover the response, its serializer declines it, or the serializer cannot make the
            /// type that the call wants. For the body of a request: the entry does not cover the type, only reads, or
            /// declines the value.
            case declined
            /// The entry was chosen, and its serializer threw or the body exceeded its limit.
            case failed
            case chosen
        }

        /// The id of the entry; `(request)` for a serializer that the request sets.
        public let entry: String
        /// The answer.
        public let verdict: Verdict
        /// The reason, in plain words.
        public let reason: String
        /// The error of a failed serializer, a `FormatFailure` for the built-in formats; nil if the serializer did not
        /// fail.
        public let error: (any Error)?

        /// Whether a sentence names the entry; all others are counted.
        let isNear: Bool

        init(_ row: ConsideredEntry) {
            entry = row.id
            verdict = row.verdict == .chosen ? .chosen : .declined
            reason = row.reason
            error = nil
            isNear = row.isNear
        }

        init(_ attempt: Attempt) {
            entry = attempt.entry
            verdict = .failed
            isNear = true
            reason = "\(FailureReason(attempt.error))"
            error = FormatFailure.published(attempt.error)
        }
    }
}

extension Decision.Candidate: CustomStringConvertible, CustomReflectable {
    /// `json: declined: text/csv is outside @json`
    public var description: String { "\(entry): \(verdict.rawValue): \(reason)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// A serializer that failed on a body. A body that exceeds the limit of the serializer is also recorded as its failure.
package struct Attempt: Sendable {
    /// The id of the entry; `(request)` for a serializer that the request sets.
    package let entry: String
    /// The error of the serializer, or a `BodyLimitFailure`.
    package let error: any Error

    /// The name of a serializer that the request sets. No entry id contains parentheses.
    static let request = "(request)"
}

extension Attempt: CustomStringConvertible, CustomReflectable {
    /// `json: line 3, column 7: expected a comma`
    package var description: String { "\(entry): \(FailureReason(error))" }
    package var customMirror: Mirror { Mirror(described: self) }
}
