import PatchbayPlatform

/// Makes the `LookupPlan` for one response. The serializers come from the table, or the request names one; then the
/// policies apply.
///
/// The planner keeps all its inputs, so that a `Decision` can compute its reasons later.
package struct LookupPlanner: TableLookup, Sendable {
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

    var contentType: ContentType { head.contentType }

    /// This planner with another `wanted`.
    func producing(_ wanted: WantedValue) -> LookupPlanner {
        var planner = self
        planner.wanted = wanted
        return planner
    }

    package func plan() -> LookupPlan {
        var plan = LookupPlan()
        if wanted.kind == .bytes || wanted.kind == .pieces {
            plan.ending = .bytes
            return plan
        }
        if !override.isNone, let using { use(using, &plan) } else { match(&plan) }
        if case .failure = plan.ending { return plan }
        if !plan.isClosed { fallBack(&plan) }
        return plan
    }

    /// The entry or serializer that the request names for this response.
    var using: LookupOverride.Using? {
        override.isNone || !isAcceptable || unwrapping != nil ? nil : override.using
    }

    /// Asks the entries that cover the media type; the table knows their positions.
    ///
    /// If `wanted` describes elements, an entry that makes one value waits until all entries that yield elements were
    /// asked. An unwrapping entry ends the wait, because the entries after it read other bytes. An entry that keeps the
    /// bytes ends it, too: it takes the responses that its place in the list gives it.
    private func match(_ plan: inout LookupPlan) {
        let table = section.table
        let start = unwrapping?.start ?? 0
        var waiting: [BoundSerializer] = []
        var positions = table.positions(covering: registry.compiled.matched(head.contentType))
        while let position = positions.next() {
            guard position >= start, let serializer = answer(of: table.entries[position], as: .match, &plan) else {
                continue
            }
            if wanted.isElements {
                if waits(serializer) {
                    waiting.append(serializer)
                    continue
                }
                if serializer.endsWait {
                    plan.append(waiting)
                    waiting = []
                }
            }
            if !plan.isClosed { plan.append(serializer) }
            if plan.isClosed { return }
        }
        plan.append(waiting)
    }

    /// Whether the serializer makes one value of the response, and so waits for entries that yield elements.
    func waits(_ serializer: BoundSerializer) -> Bool {
        wanted.isElements && !serializer.endsWait && !wanted.isYielded(by: serializer)
    }

    private func use(_ using: LookupOverride.Using, _ plan: inout LookupPlan) {
        switch using {
        case .serializer(let serializer):
            let candidate = BoundSerializer(serializer)
            if wanted.canCome(from: candidate) {
                plan.append(candidate)
            } else {
                plan.ending = .failure(.noEntryProduces)
            }
        case .entry(let id):
            guard let entry = entry(id) else {
                plan.ending = .failure(.unknownEntry)
                return
            }
            if let serializer = answer(of: entry, as: .named, &plan) {
                plan.append(serializer)
            } else {
                plan.ending = .failure(entry.serializer == nil ? .entryUnavailable : .noEntryProduces)
            }
        }
        if wanted.kind == .text || wanted.kind == .lines, plan.first == nil,
            case .failure(.noEntryProduces) = plan.ending
        {
            plan.ending = .text
        }
    }

    /// The entry with an id: of the table of the host, or else of any list.
    func entry(_ id: String) -> RegistryEntry? { section.table.entry(id) ?? registry.compiled.entries[id] }

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

    /// The serializer of an entry, if the entry is chosen. The reason of a serializer that declines is kept in the plan.
    private func answer(of entry: RegistryEntry, as role: Role, _ plan: inout LookupPlan) -> BoundSerializer? {
        guard let serializer = entry.serializer else { return nil }
        if case .named = role { return wanted.canCome(from: serializer) ? serializer : nil }
        guard refusal(of: entry) == nil, case .chosen = verdict(ofCovering: entry) else { return nil }
        guard let reason = serializer.declineReason(head) else { return serializer }
        plan.keep(Printed(reason, limit: 200).text, of: entry.id)
        return nil
    }

    func verdict(ofCovering entry: RegistryEntry) -> Verdict {
        guard entry.coverage.status.contains(head.status) else { return .status }
        guard entry.coverage.coversWish(wanted) else { return .wish }
        guard let serializer = entry.serializer, wanted.canCome(from: serializer) else { return .unfit }
        return .chosen
    }

    func refusal(of entry: RegistryEntry) -> Verdict? {
        if unwrapping?.entries.contains(entry.id) == true { return .unwrapped }
        if override.excludes(entry.id) { return .excluded }
        return entry.serializer == nil ? entry.absence : nil
    }
}

extension LookupPlanner {
    /// Applies the policies for the case that no entry covers the response or every serializer of the plan fails.
    private func fallBack(_ plan: inout LookupPlan) {
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
                guard !plan.has(id), let entry = policyEntry(id) else { continue }
                if let serializer = answer(of: entry, as: .policy(key), &plan) { plan.append(serializer) }
                if plan.isClosed { return }
            }
        }
        plan.ending = ending(.raw)
    }

    /// The entry that a policy names; nil if it has unwrapped the body already.
    func policyEntry(_ id: String) -> RegistryEntry? {
        unwrapping?.entries.contains(id) == true ? nil : entry(id)
    }

    typealias Rule = (
        key: LookupPlan.PolicyKey, fallback: SerializerRegistry.Policy.Fallback, failure: LookupFailure.Code
    )

    func policies(afterCandidates: Bool) -> [Rule] {
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
