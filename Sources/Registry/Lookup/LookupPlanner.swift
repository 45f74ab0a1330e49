/// Makes the `LookupPlan` for one response. The serializers come from the table, or the request names one; then the
/// policies apply.
///
/// The planner keeps all its inputs, so that a `Decision` can compute its reasons later.
package struct LookupPlanner: Sendable {
    package let registry: SerializerRegistry
    package let section: HostSection
    package var head: ResponseHead
    package let isAcceptable: Bool
    package var wanted: WantedValue
    package let override: LookupOverride
    /// The unwrapping before this plan; nil if the plan is for the received body.
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

    /// This planner with another `wanted`.
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

    /// Consults the entries that cover the media type; the table knows their positions. The entries between them do not
    /// cover the media type, and are noted only if `account` collects reasons.
    ///
    /// If `wanted` describes elements, an entry that makes one value is considered only after all entries that yield
    /// elements. An unwrapping entry ends this delay, because the entries after the unwrapping entry read other bytes.
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

    /// Consults the waiting entries in order. Returns whether one of them closes the plan (`LookupPlan.isClosed`).
    private func ask(
        _ waiting: inout [RegistryEntry], _ plan: inout LookupPlan, _ account: inout Account?
    ) -> Bool {
        defer { waiting = [] }
        return waiting.contains { ask($0, as: .match, &plan, &account) == nil && plan.isClosed }
    }

    /// Notes the reason that the waiting entries are skipped: `entry` yields the elements.
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

    /// The role in which an entry is considered. The role decides which conditions of the entry apply.
    enum Role {
        /// The entry covers the media type.
        case match
        /// The request names the entry, whatever its types and statuses are.
        case named
        /// A policy names the entry. The media types of the entry are not checked, because the policy applies to
        /// responses from which no other entry makes a value.
        case policy(LookupPlan.PolicyKey)
    }

    /// The rule that excludes an entry. The reason for a reader is made from it.
    enum Obstacle {
        case unwrapped, excluded, unavailable, type, status
        /// The entry is only for calls that want elements.
        case wish
        /// The serializer declines the response, or makes another type.
        case unfit
    }

    /// Consults one entry, and returns its `Obstacle`. Without an obstacle, the serializer of the entry is added to the
    /// plan.
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

    /// The `Obstacle` that an entry has whatever the head of the response is.
    private func refusal(of entry: RegistryEntry) -> Obstacle? {
        if unwrapping?.entries.contains(entry.id) == true { return .unwrapped }
        if override.excludes(entry.id) { return .excluded }
        return entry.serializer == nil ? .unavailable : nil
    }
}

extension LookupPlanner {
    /// Applies the policies for the case that no entry covers the response or every serializer of the plan fails.
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

    /// The ending of the plan for `wanted`. Text can always be made; a value of another type cannot be raw bytes.
    private func ending(_ ending: LookupPlan.Ending) -> LookupPlan.Ending {
        switch (wanted.kind, ending) {
        case (.text, _), (.lines, _): .text
        case (.value, .raw), (.elements, .raw), (.value, .failure(.noMatch)), (.elements, .failure(.noMatch)):
            .failure(.noEntryProduces)
        default: ending
        }
    }
}

/// Links the `Decision` about an unwrapped body to the `Decision` whose entry unwrapped the body.
///
/// A class, because the struct `Decision` cannot contain another decision.
package final class Unwrapping: Sendable {
    /// The decision that chose the unwrapping entry.
    let decision: Decision
    /// The attempts that failed before the unwrapping.
    let attempts: [Attempt]
    /// The entry that unwrapped the body or, if `declined` is not nil, declined it.
    let entry: String
    /// The reason that the entry declined the body and passed it on unchanged; nil if it unwrapped the body.
    let declined: String?
    /// The ids of the entries that have unwrapped this body. Each entry unwraps only once.
    let entries: Set<String>
    /// The position in the table after the unwrapping entry.
    package let start: Int

    package init(
        _ decision: Decision, by candidate: BoundSerializer, _ attempts: [Attempt], declined: String? = nil
    ) {
        self.decision = decision
        self.attempts = attempts
        self.declined = declined
        entry = candidate.name
        let earlier = decision.unwrapping
        entries = (earlier?.entries ?? []).union([candidate.name])
        let position = candidate.entry.flatMap { decision.section.table.position($0) }
        start = position.map { max($0 + 1, earlier?.start ?? 0) } ?? earlier?.start ?? 0
    }
}

extension LookupPlanner {
    /// The planner for an unwrapped body and its media type.
    package init(_ unwrapping: Unwrapping, _ mediaType: MediaType) {
        self = unwrapping.decision.planner
        var fields = head.fields
        fields["Content-Type"] = mediaType.description
        head = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        self.unwrapping = unwrapping
    }
}
