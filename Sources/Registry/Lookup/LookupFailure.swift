import PatchbayPlatform

/// The reason that no value was made from a response: the entry, its error, and the entries that were considered.
package struct LookupFailure: Error, Sendable {
    package enum Code: String, Sendable {
        /// No entry covers the response, and the policy makes that an error.
        case noMatch
        /// No entry that covers the response can make the type that the call wants.
        case noEntryProduces
        /// There is no Content-Type, no entry covers responses without one, and the policy makes that an error.
        case missingContentType
        /// Content-Type is not a media type (RFC 9110, section 8.3.1), no entry covers such responses, and the policy
        /// makes that an error.
        case invalidContentType
        /// There were no bytes, and the type has no empty value or the policy makes that an error.
        case emptyBody
        case serialization, bodyTooLarge, undecodableText, unknownEntry
        /// The request names an entry that is switched off or not in this build.
        case entryUnavailable
        case cancelled
    }

    package let code: Code
    /// The id of the entry that failed; nil if no entry failed.
    package let entry: String?
    package let decision: Decision
    package let attempts: [Attempt]
    /// The error of the serializer, or of the text decoder.
    package let cause: (any Error)?
    /// The received bytes; nil if they were not kept.
    package let body: ResponseBody?

    init(
        _ code: Code, _ decision: Decision, _ attempts: [Attempt], entry: String? = nil, cause: (any Error)? = nil,
        body: ResponseBody? = nil
    ) {
        (self.code, self.decision, self.attempts) = (code, decision, attempts)
        (self.entry, self.cause, self.body) = (entry, cause, body)
    }

    /// Every entry that was considered, with its outcome.
    package var tried: [Decision.Candidate] { decision.tried(after: attempts) }
}

extension LookupFailure: CustomStringConvertible {
    /// One sentence: the reason, the advice, and the entries that were considered.
    package var description: String {
        "\(reason)\(advice); \(asked)"
    }

    private var asked: String {
        let tried = tried
        // A declining entry is left out before one that failed.
        let failed = tried.filter { $0.verdict == .failed }
        let shown =
            tried.filter(\.isNear).count > QuotedList.limit ? failed + tried.filter { $0.verdict != .failed } : tried
        return decision.planner.asked(shown) { row in
            row.verdict == .chosen ? row.entry : "\(row.entry) (\(row.verdict.rawValue))"
        }
    }

    private var advice: String {
        guard [.noEntryProduces, .missingContentType, .invalidContentType, .entryUnavailable].contains(code) else {
            return ""
        }
        return decision.planner.advice(for: decision.plan)
    }

    private var unknownEntry: String {
        guard case .entry(let id)? = decision.override.using else {
            return "the request names an entry that the registry does not have"
        }
        let nearest = Spelling.nearest(to: id, in: decision.registry.compiled.entries.keys.inOrder())
        let hint = nearest.map { "; did you mean \(Quoted($0))?" } ?? ""
        return "the request names the entry \(Quoted(id)), which the registry does not have\(hint)"
    }

    private var reason: String {
        let head = decision.head
        let subject = "\(ShownType(head.contentType)) with status \(head.status)"
        let given = decision.plan.first == nil ? "the registry" : "the serializer of the request"
        let name = entry.map { "the entry \($0)" } ?? given
        let why = cause.map { ": \(FailureReason($0))" } ?? ""
        return switch code {
        case .noMatch: "no entry serializes \(subject)"
        case .noEntryProduces: "no entry makes \(decision.wanted) from \(subject)"
        case .missingContentType: "the response has no Content-Type, and no entry takes one without"
        case .invalidContentType: "the response has an invalid Content-Type, and no entry takes one without"
        case .emptyBody where decision.wanted.kind == .anything: "the body is empty for \(subject)"
        case .emptyBody: "the body is empty, and so makes no \(decision.wanted), for \(subject)"
        case .bodyTooLarge: "\(name) cannot take \(subject)\(why)"
        case .undecodableText: "the body cannot be read as text for \(subject)\(why)"
        case .unknownEntry: unknownEntry
        case .entryUnavailable: "the request names an entry that is not available"
        case .cancelled: "the call was cancelled while \(name) worked on \(subject)"
        default: "\(name) could not serialize \(subject)\(why)"
        }
    }
}

extension LookupFailure: CustomReflectable {
    package var customMirror: Mirror { Mirror(described: self) }
}
