/// Makes the plan for one response: candidates out of the table, or the one that the request names, then the policies.
struct LookupPlanner {
    /// An entry that was asked: why it is a candidate, or why it declined.
    struct Answer {
        let entry: String
        let isCandidate: Bool
        let reason: String
    }

    let compiled: CompiledRegistry
    let section: HostSection
    let head: ResponseHead
    let wanted: WantedValue
    /// Nil where the status is not acceptable.
    let using: LookupOverride.Using?
    let excluding: Set<String>
    /// Nil for the look-up of what was received.
    let unwrapping: Unwrapping?

    /// The plan, and nothing else: entries are found by the lists of the table.
    func plan() -> LookupPlan {
        var answers: [Answer]?
        return plan(&answers)
    }

    /// Every entry asked, with its reason: the same walk, entry by entry.
    func answers() -> [Answer] {
        var answers: [Answer]? = []
        _ = plan(&answers)
        return answers ?? []
    }

    private func plan(_ answers: inout [Answer]?) -> LookupPlan {
        var plan = LookupPlan()
        if wanted.kind == .bytes {
            plan.ending = .bytes
            return plan
        }
        if let using {
            use(using, &plan, &answers)
        } else if answers == nil {
            match(&plan)
        } else {
            ask(&plan, &answers)
        }
        if case .failure = plan.ending { return plan }
        if !plan.isClosed { fallBack(&plan, &answers) }
        return plan
    }

    private func match(_ plan: inout LookupPlan) {
        let start = unwrapping?.start ?? 0
        section.table.forEachPosition(covering: compiled.matched(head.contentType)) { position in
            guard position >= start else { return false }
            let entry = section.table.entries[position]
            guard takes(entry), let serializer = entry.serializer else { return false }
            plan.append(.init(entry: entry, serializer))
            return plan.isClosed
        }
    }

    private func ask(_ plan: inout LookupPlan, _ answers: inout [Answer]?) {
        let mediaType = compiled.matched(head.contentType)
        for entry in section.table.entries.dropFirst(unwrapping?.start ?? 0)
        where entry.availability != .switchedOff {
            let gap = entry.coverage.gap(head.contentType, seenAs: mediaType, status: head.status)
            if let reason = refusal(entry) ?? gap ?? unfitness(entry) {
                answers?.append(Answer(entry: entry.id, isCandidate: false, reason: reason))
            } else if let serializer = entry.serializer {
                let unwraps = serializer.unwrapping == nil ? "" : ", and unwraps it"
                answers?.append(Answer(entry: entry.id, isCandidate: true, reason: "covers \(subject)\(unwraps)"))
                plan.append(.init(entry: entry, serializer))
                if plan.isClosed { return }
            }
        }
    }

    private func use(_ using: LookupOverride.Using, _ plan: inout LookupPlan, _ answers: inout [Answer]?) {
        switch using {
        case .serializer(let serializer):
            let candidate = LookupPlan.Candidate(given: BoundSerializer(serializer))
            if let reason = mismatch(candidate.serializer) {
                answers?.append(Answer(entry: candidate.name, isCandidate: false, reason: reason))
                plan.ending = .failure(.noEntryProduces)
            } else {
                answers?.append(Answer(entry: candidate.name, isCandidate: true, reason: "the request brought it"))
                plan.append(candidate)
            }
        case .entry(let id):
            guard let entry = section.table.entry(id) ?? compiled.entries[id] else {
                answers?.append(Answer(entry: id, isCandidate: false, reason: "there is no entry of this id"))
                plan.ending = .failure(.unknownEntry)
                return
            }
            if let reason = unavailability(entry) {
                answers?.append(Answer(entry: id, isCandidate: false, reason: reason))
                plan.ending = .failure(.entryUnavailable)
            } else if let serializer = entry.serializer {
                if let reason = mismatch(serializer) {
                    answers?.append(Answer(entry: id, isCandidate: false, reason: reason))
                    plan.ending = .failure(.noEntryProduces)
                } else {
                    answers?.append(Answer(entry: id, isCandidate: true, reason: "the request names it"))
                    plan.append(.init(entry: entry, serializer))
                }
            }
        }
        if wanted.kind == .text, plan.first == nil, case .failure(.noEntryProduces) = plan.ending {
            plan.ending = .text
        }
    }

    /// What the policies say where no entry covers the response, or every one that does has failed.
    private func fallBack(_ plan: inout LookupPlan, _ answers: inout [Answer]?) {
        for (policy, fallback, code) in policies(afterCandidates: plan.first != nil) {
            plan.endingPolicy = policy
            switch fallback {
            case .raw:
                plan.ending = ending(.raw)
                return
            case .error:
                plan.ending = ending(.failure(code))
                return
            case .entry(let id):
                guard !plan.has(id), unwrapping?.entries.contains(id) != true,
                    let entry = section.table.entry(id) ?? compiled.entries[id]
                else { continue }
                // Its types are not asked for: that none covers the response is why it is its turn.
                let gap = entry.coverage.statusGap(head.status)
                if let reason = refusal(entry) ?? gap ?? unfitness(entry) {
                    answers?.append(Answer(entry: id, isCandidate: false, reason: reason))
                } else if let serializer = entry.serializer {
                    answers?.append(Answer(entry: id, isCandidate: true, reason: "the policy's \(policy) names it"))
                    plan.append(.init(entry: entry, serializer))
                    if plan.isClosed { return }
                }
            }
        }
        plan.ending = ending(.raw)
    }

    private typealias Rule = (policy: String, fallback: Policy.Fallback, code: LookupFailure.Code)

    private func policies(afterCandidates: Bool) -> [Rule] {
        let policy = section.policy
        let noMatch: Rule = ("noMatch", policy.noMatch, .noMatch)
        switch head.contentType {
        case _ where afterCandidates: return [noMatch]
        case .missing: return [("missingContentType", policy.missingContentType, .missingContentType), noMatch]
        case .invalid: return [("invalidContentType", policy.invalidContentType, .invalidContentType), noMatch]
        case .mediaType: return [noMatch]
        }
    }

    /// What an ending is for the wanted type: text is always to be had, and no other type can be raw bytes.
    private func ending(_ ending: LookupPlan.Ending) -> LookupPlan.Ending {
        switch (wanted.kind, ending) {
        case (.text, _): .text
        case (.value, .raw), (.value, .failure(.noMatch)): .failure(.noEntryProduces)
        default: ending
        }
    }

    // MARK: What an entry answers

    private func takes(_ entry: RegistryEntry) -> Bool {
        guard entry.coverage.status.contains(head.status), let serializer = entry.serializer else { return false }
        return (excluding.isEmpty || !excluding.contains(entry.id)) && unwrapping?.entries.contains(entry.id) != true
            && wanted.canCome(from: serializer) && serializer.declineReason(head) == nil
    }

    /// Why an entry is out of the question for any response to this request.
    private func refusal(_ entry: RegistryEntry) -> String? {
        if unwrapping?.entries.contains(entry.id) == true { return "it has unwrapped this body already" }
        return excluding.contains(entry.id) ? "the request excludes it" : unavailability(entry)
    }

    private func unavailability(_ entry: RegistryEntry) -> String? {
        switch entry.availability {
        case .available: nil
        case .switchedOff: "it is switched off"
        case .unavailable(let reason): reason
        }
    }

    /// Why an entry that covers the response does not serialize it all the same.
    private func unfitness(_ entry: RegistryEntry) -> String? {
        guard let serializer = entry.serializer else { return nil }
        return serializer.declineReason(head) ?? mismatch(serializer)
    }

    private func mismatch(_ serializer: BoundSerializer) -> String? {
        guard !wanted.canCome(from: serializer) else { return nil }
        let isDecoding = serializer.decoding != nil && wanted.kind == .value
        return "it makes \(serializer.output), not \(wanted)" + (isDecoding ? ", which is not Decodable" : "")
    }

    private var subject: String { "\(ShownType(head.contentType)) with status \(head.status)" }
}
