/// Makes the plan for one response: candidates from the table or the one that the request names, then the policies.
///
/// It keeps the whole question, so that a decision can give its reasons later.
package struct LookupPlanner: Sendable {
    package let registry: SerializerRegistry
    package let section: HostSection
    package var head: ResponseHead
    package let isAcceptable: Bool
    package var wanted: WantedValue
    package let override: LookupOverride
    /// The unwrapping before this look-up; nil for the received body.
    package var unwrapping: Unwrapping?

    package init(
        registry: SerializerRegistry, section: HostSection, head: ResponseHead, isAcceptable: Bool, wanted: WantedValue,
        override: LookupOverride, unwrapping: Unwrapping?
    ) {
        self.registry = registry
        self.section = section
        self.head = head
        self.isAcceptable = isAcceptable
        self.wanted = wanted
        self.override = override
        self.unwrapping = unwrapping
    }

    /// The same question for another value.
    func producing(_ wanted: WantedValue) -> LookupPlanner {
        var planner = self
        planner.wanted = wanted
        return planner
    }

    package func plan() -> LookupPlan {
        var account: Account?
        return plan(&account)
    }

    func plan(_ account: inout Account?) -> LookupPlan {
        var plan = LookupPlan()
        if wanted.kind == .bytes || wanted.kind == .pieces {
            plan.ending = .bytes
            return plan
        }
        if !override.isNone, isAcceptable, unwrapping == nil, let using = override.using {
            use(using, &plan, &account)
        } else {
            match(&plan, &account)
        }
        if case .failure = plan.ending { return plan }
        if !plan.isClosed { fallBack(&plan, &account) }
        return plan
    }

    /// Asks the entries that the table files under the media type. The entries between them do not cover it, and get a
    /// reason only if someone reads the reasons.
    ///
    /// If elements are wanted, entries that make one value wait until all entries that yield elements were asked, up to
    /// the next unwrapping entry: the entries after that one read other bytes.
    private func match(_ plan: inout LookupPlan, _ account: inout Account?) {
        let table = section.table
        var waiting: [RegistryEntry] = []
        var passed = unwrapping?.start ?? 0
        var positions = table.positions(covering: registry.compiled.matched(head.contentType))
        while let position = positions.next() {
            guard position >= passed else { continue }
            if account != nil { pass(over: table.entries[passed..<position], &account) }
            passed = position + 1
            let entry = table.entries[position]
            if wanted.isElements, obstacle(to: entry, as: .match) == nil, let serializer = entry.serializer {
                if serializer.unwrapping != nil {
                    if ask(&waiting, &plan, &account) { return }
                } else if wanted.isYielded(by: serializer) {
                    pass(over: &waiting, for: entry, &account)
                } else {
                    waiting.append(entry)
                    continue
                }
            }
            if ask(entry, as: .match, &plan, &account) == nil, plan.isClosed { return }
        }
        if account != nil { pass(over: table.entries[passed...], &account) }
        _ = ask(&waiting, &plan, &account)
    }

    /// Asks the waiting entries in order, and returns whether one of them ends the look-up.
    private func ask(
        _ waiting: inout [RegistryEntry], _ plan: inout LookupPlan, _ account: inout Account?
    ) -> Bool {
        defer { waiting = [] }
        return waiting.contains { ask($0, as: .match, &plan, &account) == nil && plan.isClosed }
    }

    /// Notes why waiting entries are not asked: another entry yields the elements.
    private func pass(over waiting: inout [RegistryEntry], for entry: RegistryEntry, _ account: inout Account?) {
        guard let decided = account?.decided else { return }
        for other in waiting where !decided.has(other.id) {
            account?.note(other.id, obstacle: "it makes one value, and \(entry.id) yields the elements")
        }
        waiting.removeAll { !decided.has($0.id) }
    }

    private func pass(over entries: ArraySlice<RegistryEntry>, _ account: inout Account?) {
        for entry in entries where entry.availability != .switchedOff {
            account?.note(entry.id, obstacle: reason(refusal(of: entry) ?? .type, of: entry, as: .match))
        }
    }

    private func use(_ using: LookupOverride.Using, _ plan: inout LookupPlan, _ account: inout Account?) {
        switch using {
        case .serializer(let serializer):
            let candidate = BoundSerializer(serializer)
            if wanted.canCome(from: candidate) {
                account?.note(candidate.name, candidate: "the request brought it")
                plan.append(candidate)
            } else {
                account?.note(candidate.name, obstacle: mismatch(candidate), isClose: true)
                plan.ending = .failure(.noEntryProduces)
            }
        case .entry(let id):
            guard let entry = section.table.entry(id) ?? registry.compiled.entries[id] else {
                account?.note(id, obstacle: "there is no entry of this id")
                plan.ending = .failure(.unknownEntry)
                return
            }
            switch ask(entry, as: .named, &plan, &account) {
            case nil: break
            case .unavailable: plan.ending = .failure(.entryUnavailable)
            default: plan.ending = .failure(.noEntryProduces)
            }
        }
        if wanted.kind == .text || wanted.kind == .lines, plan.first == nil,
            case .failure(.noEntryProduces) = plan.ending
        {
            plan.ending = .text
        }
    }

    // MARK: One entry

    /// The role in which an entry is asked. It decides which of its conditions count.
    enum Role {
        /// The table files it under the media type.
        case match
        /// The request names it, whatever its types and statuses are.
        case named
        /// A policy names it. Its types do not count: it is asked because no entry covers the response.
        case policy(LookupPlan.PolicyKey)
    }

    /// The obstacle of an entry: the rule that excludes it, from which the reason is made.
    enum Obstacle {
        case unwrapped, excluded, unavailable, type, status
        /// The entry is only for calls that want elements.
        case wish
        /// Its serializer declines the response, or makes another type.
        case unfit
    }

    /// Asks one entry. It becomes a candidate if it has no obstacle.
    func ask(
        _ entry: RegistryEntry, as role: Role, _ plan: inout LookupPlan, _ account: inout Account?
    ) -> Obstacle? {
        var obstacle = obstacle(to: entry, as: role)
        if account != nil { obstacle = account?.note(entry, obstacle, as: role, self) }
        if obstacle == nil, let serializer = entry.serializer { plan.append(serializer) }
        return obstacle
    }

    private func obstacle(to entry: RegistryEntry, as role: Role) -> Obstacle? {
        if case .named = role {
            guard let serializer = entry.serializer else { return .unavailable }
            return wanted.canCome(from: serializer) ? nil : .unfit
        }
        if let refusal = refusal(of: entry) { return refusal }
        guard entry.coverage.status.contains(head.status) else { return .status }
        guard entry.coverage.coversWish(wanted) else { return .wish }
        guard let serializer = entry.serializer, wanted.canCome(from: serializer),
            serializer.declineReason(head) == nil
        else { return .unfit }
        return nil
    }

    /// The obstacle of an entry for every response to this request.
    private func refusal(of entry: RegistryEntry) -> Obstacle? {
        if unwrapping?.entries.contains(entry.id) == true { return .unwrapped }
        if override.excludes(entry.id) { return .excluded }
        return entry.serializer == nil ? .unavailable : nil
    }
}

extension LookupPlanner {
    /// Applies the policies if no entry covers the response, or all that do have failed.
    func fallBack(_ plan: inout LookupPlan, _ account: inout Account?) {
        for (key, fallback, failure) in policies(afterCandidates: plan.first != nil) {
            plan.endingPolicy = key
            switch fallback {
            case .raw:
                plan.ending = ending(.raw)
                return
            case .error:
                plan.ending = ending(.failure(failure))
                return
            case .entry(let id):
                guard !plan.has(id), unwrapping?.entries.contains(id) != true,
                    let entry = section.table.entry(id) ?? registry.compiled.entries[id]
                else { continue }
                if ask(entry, as: .policy(key), &plan, &account) == nil, plan.isClosed { return }
            }
        }
        plan.ending = ending(.raw)
    }

    private typealias Rule = (
        key: LookupPlan.PolicyKey, fallback: SerializerRegistry.Policy.Fallback, failure: LookupFailure.Code
    )

    private func policies(afterCandidates: Bool) -> [Rule] {
        let policy = section.policy
        let noMatch: Rule = (.noMatch, policy.noMatch, .noMatch)
        switch head.contentType {
        case _ where afterCandidates: return [noMatch]
        case .missing: return [(.missingContentType, policy.missingContentType, .missingContentType), noMatch]
        case .invalid: return [(.invalidContentType, policy.invalidContentType, .invalidContentType), noMatch]
        case .mediaType: return [noMatch]
        }
    }

    /// The ending for the wanted type: text can always be made, and other types cannot be raw bytes.
    private func ending(_ ending: LookupPlan.Ending) -> LookupPlan.Ending {
        switch (wanted.kind, ending) {
        case (.text, _), (.lines, _): .text
        case (.value, .raw), (.elements, .raw), (.value, .failure(.noMatch)), (.elements, .failure(.noMatch)):
            .failure(.noEntryProduces)
        default: ending
        }
    }
}

/// The link from a second look-up to the first: the look-up whose entry unwrapped the body, and the start of the
/// second.
///
/// A class of constants, because a decision cannot contain a decision.
package final class Unwrapping: Sendable {
    /// The look-up that chose the unwrapping entry.
    let decision: Decision
    /// The serializers that failed before.
    let attempts: [Attempt]
    /// The ids of the entries that have unwrapped this body; each does so once.
    let entries: Set<String>
    /// The position in the table after the unwrapping entry.
    package let start: Int

    package init(_ decision: Decision, by candidate: BoundSerializer, _ attempts: [Attempt]) {
        self.decision = decision
        self.attempts = attempts
        let earlier = decision.unwrapping
        entries = (earlier?.entries ?? []).union([candidate.name])
        let position = candidate.entry.flatMap { decision.section.table.position($0) }
        start = position.map { max($0 + 1, earlier?.start ?? 0) } ?? earlier?.start ?? 0
    }
}

extension LookupPlanner {
    /// The look-up that continues with an unwrapped body and its media type.
    package init(_ unwrapping: Unwrapping, _ mediaType: MediaType) {
        self = unwrapping.decision.planner
        var fields = head.fields
        fields["Content-Type"] = mediaType.description
        head = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        self.unwrapping = unwrapping
    }
}
