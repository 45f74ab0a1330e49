extension LookupPlanner {
    /// What the policies say where no entry covers the response, or every one that does has failed.
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
        key: LookupPlan.PolicyKey, fallback: SerializerRegistry.Policy.Fallback, failure: LookupPlan.Failure
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

    /// What an ending is for the wanted type: text is always to be had, and no other type can be raw bytes.
    private func ending(_ ending: LookupPlan.Ending) -> LookupPlan.Ending {
        switch (wanted.kind, ending) {
        case (.text, _), (.lines, _): .text
        case (.value, .raw), (.elements, .raw), (.value, .failure(.noMatch)), (.elements, .failure(.noMatch)):
            .failure(.noEntryProduces)
        default: ending
        }
    }
}
