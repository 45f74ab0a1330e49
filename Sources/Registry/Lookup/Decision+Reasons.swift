extension Decision {
    /// Every entry asked, in order, with its reason: those that declined, and the one that was chosen.
    public var tried: [Candidate] { tried(after: []) }

    /// Every entry asked, given what became of the candidates since.
    public func tried(after attempts: [Attempt]) -> [Candidate] {
        var rows: [Candidate] = []
        var attempts = attempts
        if let unwrapping {
            rows = unwrapping.decision.tried(after: unwrapping.attempts)
            attempts.removeFirst(min(unwrapping.attempts.count, attempts.count))
        }
        var failures = attempts[...]
        for answer in planner.answers(to: plan) {
            guard answer.isCandidate else {
                rows.append(Candidate(entry: answer.entry, verdict: .declined, reason: answer.reason))
                continue
            }
            guard let failure = failures.first else {
                rows.append(Candidate(entry: answer.entry, verdict: .chosen, reason: answer.reason))
                break
            }
            rows.append(Candidate(entry: answer.entry, verdict: .failed, reason: "\(FailureReason(failure.error))"))
            failures = failures.dropFirst()
        }
        return rows
    }

    /// What happens where no candidate makes a value.
    var endingReason: String {
        let policy = plan.endingPolicy.map { " (policy \($0.rawValue))" } ?? ""
        return switch plan.ending {
        case .bytes where wanted.isElements: "bytes: \(wanted) are always the pieces of the body, no entry is asked"
        case .bytes: "bytes: \(wanted) is always the body as it is, no entry is asked"
        case .text where wanted.isElements:
            "text: no entry yields String, so they are the lines of the body, decoded by its charset"
        case .text: "text: no entry makes String, so the body is decoded by its charset"
        case .raw: "raw: no entry is left, so the bytes are the value\(policy)"
        case .failure(let failure): "error: \(failure.rawValue)\(policy)"
        }
    }
}

extension Decision: CustomStringConvertible {
    /// One line for each entry asked and why, and one more where none was chosen.
    public var description: String {
        let rows = tried
        let lines = rows.map(\.description)
        return (plan.first != nil ? lines : lines + [endingReason]).joined(separator: "\n")
    }
}

extension Decision: CustomReflectable {
    public var customMirror: Mirror { Mirror(described: self) }
}
