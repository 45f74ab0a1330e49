/// Makes the plan for one response: candidates out of the table, or the one that the request names, then the policies.
///
/// Holds the whole question, so that a decision keeps it and can be asked for the reasons.
struct LookupPlanner: Sendable {
    /// An entry that was asked: why it is a candidate, or why it declined.
    struct Answer {
        let entry: String
        let isCandidate: Bool
        let reason: String
        /// Whether it declined a response whose type and status it covers.
        var isClose = false
    }

    let registry: SerializerRegistry
    let section: HostSection
    var head: ResponseHead
    let isAcceptable: Bool
    var wanted: WantedValue
    let override: LookupOverride
    /// Nil for the look-up of what was received.
    var unwrapping: Unwrapping?

    /// The same question for another value.
    func producing(_ wanted: WantedValue) -> LookupPlanner {
        var planner = self
        planner.wanted = wanted
        return planner
    }

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
        if isAcceptable, unwrapping == nil, let using = override.using {
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
        var positions = section.table.positions(covering: registry.compiled.matched(head.contentType))
        while let position = positions.next() {
            guard position >= start, let serializer = taking(section.table.entries[position]) else { continue }
            plan.append(serializer)
            if serializer.onFailure != .next { return }
        }
    }

    private func ask(_ plan: inout LookupPlan, _ answers: inout [Answer]?) {
        let mediaType = registry.compiled.matched(head.contentType)
        for entry in section.table.entries.dropFirst(unwrapping?.start ?? 0)
        where entry.availability != .switchedOff {
            let gap = entry.coverage.gap(head.contentType, seenAs: mediaType, status: head.status)
            if let reason = refusal(entry) ?? gap ?? unfitness(entry) {
                answers?.append(Answer(entry: entry.id, isCandidate: false, reason: reason, isClose: gap == nil))
            } else if let serializer = entry.serializer {
                let unwraps = serializer.unwrapping == nil ? "" : ", and unwraps it"
                answers?.append(Answer(entry: entry.id, isCandidate: true, reason: "covers \(subject)\(unwraps)"))
                plan.append(serializer)
                if plan.isClosed { return }
            }
        }
    }

    private func use(_ using: LookupOverride.Using, _ plan: inout LookupPlan, _ answers: inout [Answer]?) {
        switch using {
        case .serializer(let serializer):
            let candidate = BoundSerializer(serializer)
            if let reason = mismatch(candidate) {
                answers?.append(Answer(entry: candidate.name, isCandidate: false, reason: reason, isClose: true))
                plan.ending = .failure(.noEntryProduces)
            } else {
                answers?.append(Answer(entry: candidate.name, isCandidate: true, reason: "the request brought it"))
                plan.append(candidate)
            }
        case .entry(let id):
            guard let entry = section.table.entry(id) ?? registry.compiled.entries[id] else {
                answers?.append(Answer(entry: id, isCandidate: false, reason: "there is no entry of this id"))
                plan.ending = .failure(.unknownEntry)
                return
            }
            if let reason = unavailability(entry) {
                answers?.append(Answer(entry: id, isCandidate: false, reason: reason, isClose: true))
                plan.ending = .failure(.entryUnavailable)
            } else if let serializer = entry.serializer {
                if let reason = mismatch(serializer) {
                    answers?.append(Answer(entry: id, isCandidate: false, reason: reason, isClose: true))
                    plan.ending = .failure(.noEntryProduces)
                } else {
                    answers?.append(Answer(entry: id, isCandidate: true, reason: "the request names it"))
                    plan.append(serializer)
                }
            }
        }
        if wanted.kind == .text, plan.first == nil, case .failure(.noEntryProduces) = plan.ending {
            plan.ending = .text
        }
    }

    // MARK: What an entry answers

    /// The serializer of an entry that covers the type, where it takes the response in every other respect, too.
    private func taking(_ entry: RegistryEntry) -> BoundSerializer? {
        guard entry.coverage.status.contains(head.status), let serializer = entry.serializer,
            !override.excludes(entry.id), unwrapping?.entries.contains(entry.id) != true,
            wanted.canCome(from: serializer), serializer.declineReason(head) == nil
        else { return nil }
        return serializer
    }

    /// Why an entry is out of the question for any response to this request.
    func refusal(_ entry: RegistryEntry) -> String? {
        if unwrapping?.entries.contains(entry.id) == true { return "it has unwrapped this body already" }
        return override.excludes(entry.id) ? "the request excludes it" : unavailability(entry)
    }

    private func unavailability(_ entry: RegistryEntry) -> String? {
        switch entry.availability {
        case .available: nil
        case .switchedOff: "it is switched off"
        case .unavailable(let reason): reason
        }
    }

    /// Why an entry that covers the response does not serialize it all the same.
    func unfitness(_ entry: RegistryEntry) -> String? {
        guard let serializer = entry.serializer else { return nil }
        return serializer.declineReason(head) ?? mismatch(serializer)
    }

    private func mismatch(_ serializer: BoundSerializer) -> String? {
        guard !wanted.canCome(from: serializer) else { return nil }
        let isDecoding = serializer.decoding != nil && wanted.kind == .value
        let option = wanted.decodable.flatMap { _ in (serializer.serializer as? any DecodingByOption)?.decodingOption }
        return "it makes \(serializer.output), not \(wanted)" + (isDecoding ? ", which is not Decodable" : "")
            + (option.map { "; its option \($0) has it decode any Decodable" } ?? "")
    }

    private var subject: String { "\(ShownType(head.contentType)) with status \(head.status)" }
}
