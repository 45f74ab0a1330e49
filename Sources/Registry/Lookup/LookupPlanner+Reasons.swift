extension LookupPlanner {
    /// An entry that was considered, with the reason that its serializer is in the `LookupPlan` or that the entry
    /// declined.
    struct Answer {
        let entry: String
        let isCandidate: Bool
        let reason: String
        /// Whether the entry declined although it covers the status, or although the request names it. Only matched
        /// entries have a status to check; their media type is not checked again.
        var isClose = false
    }

    /// Collects the reasons for a `LookupPlan` that was made earlier.
    struct Account {
        let decided: LookupPlan
        private(set) var answers: [Answer] = []

        init(of decided: LookupPlan) { self.decided = decided }

        /// Notes the answer that the entry gave when the `LookupPlan` `decided` was made, and returns the `Obstacle`;
        /// nil for an entry of `decided`. The serializer can answer differently now: if there is no obstacle any more
        /// but the entry is not in `decided`, the obstacle is `.unfit`.
        mutating func note(_ entry: RegistryEntry, _ found: Obstacle?, as role: Role, _ planner: LookupPlanner)
            -> Obstacle?
        {
            guard !decided.has(entry.id) else {
                note(entry.id, candidate: planner.reason(of: entry, as: role))
                return nil
            }
            let obstacle = found ?? .unfit
            note(
                entry.id, obstacle: planner.reason(obstacle, of: entry, as: role), isClose: planner.isClose(entry, role)
            )
            return obstacle
        }

        mutating func note(_ entry: String, candidate reason: String) {
            answers.append(Answer(entry: entry, isCandidate: true, reason: reason))
        }

        mutating func note(_ entry: String, obstacle reason: String, isClose: Bool = false) {
            answers.append(Answer(entry: entry, isCandidate: false, reason: reason, isClose: isClose))
        }
    }

    /// Every entry that was considered for a `LookupPlan` of this planner, with its reason.
    func answers(to plan: LookupPlan) -> [Answer] {
        var account: Account? = Account(of: plan)
        _ = self.plan(&account)
        return account?.answers ?? []
    }

    func reason(_ obstacle: Obstacle, of entry: RegistryEntry, as role: Role) -> String {
        switch obstacle {
        case .unwrapped: return "it has unwrapped this body already"
        case .excluded: return "the request excludes it"
        case .unavailable:
            if case .unavailable(let reason) = entry.availability { return reason }
            return entry.availability == .switchedOff ? "it is switched off" : "it only writes requests"
        case .type: return entry.coverage.typeGap(head.contentType, seenAs: registry.compiled.matched(head.contentType))
        case .status: return entry.coverage.statusGap(head.status)
        case .wish: return "it is for elements or an array of them, not for \(wanted)"
        case .unfit:
            guard let serializer = entry.serializer else { return "it declined" }
            if case .named = role { return mismatch(serializer) }
            if let reason = serializer.declineReason(head) { return reason }
            return wanted.canCome(from: serializer) ? "it declined" : mismatch(serializer)
        }
    }

    func reason(of candidate: RegistryEntry, as role: Role) -> String {
        switch role {
        case .match: "covers \(subject)" + (candidate.serializer.map(addition) ?? "")
        case .named: "the request names it"
        case .policy(let key): "the policy's \(key.rawValue) names it"
        }
    }

    /// The clause about an unusual use of the body: unwrapping it, or making elements from it.
    private func addition(_ serializer: BoundSerializer) -> String {
        if serializer.unwrapping != nil { return ", and unwraps it" }
        guard wanted.isElements else { return "" }
        return wanted.isYielded(by: serializer) ? ", and yields its elements" : ", and makes one value of it"
    }

    /// Whether a declining entry counts as close: a matched entry if it covers the status, a named entry always. The
    /// table has already matched the media type.
    func isClose(_ entry: RegistryEntry, _ role: Role) -> Bool {
        switch role {
        case .match: entry.coverage.status.contains(head.status)
        case .named: true
        case .policy: false
        }
    }

    func mismatch(_ serializer: BoundSerializer) -> String {
        let isDecoding =
            (serializer.decoding != nil && [.value, .elements].contains(wanted.kind))
            || (serializer.elementDecoding != nil && wanted.kind == .elements)
        let option = wanted.decodable.flatMap { _ in (serializer.serializer as? any DecodingByOption)?.decodingOption }
        return "it makes \(serializer.output), not \(wanted)" + (isDecoding ? ", which is not Decodable" : "")
            + (option.map { "; its option \($0) has it decode any Decodable" } ?? "")
    }

    private var subject: String { "\(ShownType(head.contentType)) with status \(head.status)" }
}

extension LookupPlanner {
    /// The id of the first entry that makes the value of `wanted`, but from other media types than that of this
    /// response.
    ///
    /// Nil if there is no such entry, if the request chose a serializer, if the status is not acceptable, or if the
    /// body was unwrapped. Also nil if an entry covers the media type of the response: then the media type is trusted.
    /// Entries that make text do not count as covering the media type, because many things are sent as `text/html` or
    /// `text/plain`.
    var makerOfOtherTypes: String? {
        guard wanted.kind == .value || wanted.kind == .elements, isAcceptable, override.using == nil, unwrapping == nil
        else { return nil }
        let mediaType = registry.compiled.matched(head.contentType)
        var maker: String?
        for entry in section.table.entries
        where entry.coverage.status.contains(head.status) && entry.coverage.coversWish(wanted)
            && entry.availability != .switchedOff && !override.excludes(entry.id)
        {
            if entry.serializer?.unwrapping != nil { continue }
            if entry.coverage.coversType(mediaType), entry.serializer?.output != String.self { return nil }
            guard maker == nil, let serializer = entry.serializer, serializer.declineReason(head) == nil else {
                continue
            }
            if wanted.canCome(from: serializer) { maker = entry.id }
        }
        return maker
    }

    /// The settings of a request, a host section or a policy that make the entry read such a response.
    func ways(to id: String) -> String {
        let using = "request.using = .entry(\"\(id)\")"
        switch head.contentType {
        case .missing: return "\(using), or \"missingContentType\": \"\(id)\" in the policy"
        case .invalid: return "\(using), or \"invalidContentType\": \"\(id)\" in the policy"
        case .mediaType(let type):
            let entry = "an entry" + (head.host.map { " of the host \($0)" } ?? "")
            return
                "\(using), or \"types\": [\"\(ShownType(type))\"] in \(entry), or \"noMatch\": \"\(id)\" in the policy"
        }
    }
}
