import PatchbayRegistry

/// Compares the answers of two registries about the responses of one host after the other, class by class, for received
/// and for unwrapped bodies.
struct EntryComparison {
    /// The compared answers of one group of types.
    private struct Result {
        var changes: [RegistryChange] = []
        /// The statuses for which both registries can choose an entry that unwraps the body.
        var unwrappers: [String: Statuses] = [:]
    }

    private let classes: RegistryClasses
    private var budget = ComparisonFailure.mostAnswers
    /// Results by their inputs: hosts share most entries.
    private var known: [RegistryClasses.Key: Result] = [:]

    init(_ classes: RegistryClasses) { self.classes = classes }

    /// - Parameter groups: the groups of the host.
    mutating func changes(
        of host: HostClass, _ groups: [RegistryClasses.Group]
    ) throws(ComparisonFailure) -> [RegistryChange] {
        var changes: [RegistryChange] = []
        var scopes = [LookupScope(host, classes.sides)]
        var seen: [[[String]]: Statuses] = [:]
        while let scope = scopes.popLast() {
            var found: [RegistryChange] = []
            var unwrappers: [String: Statuses] = [:]
            for group in scope.inside.isEmpty ? groups : classes.groups(in: scope) {
                let result = try result(group, scope)
                for var change in result.changes {
                    change.types = group.types
                    found.append(change)
                }
                unwrappers.merge(result.unwrappers) { $0.union($1) }
            }
            changes += found.folded(\.types, [], +=)
            for (entry, statuses) in unwrappers.sorted(by: { $0.key > $1.key }) {
                var inner = scope.inside(entry, statuses)
                let old = seen[inner.entries] ?? Statuses()
                seen[inner.entries] = old.union(statuses)
                inner.statuses = statuses.subtracting(old)
                if !inner.statuses.isEmpty { scopes.append(inner) }
            }
        }
        return changes
    }

    private mutating func result(
        _ group: RegistryClasses.Group, _ scope: LookupScope
    ) throws(ComparisonFailure) -> Result {
        let isReceived = scope.inside.isEmpty
        if isReceived, let known = known[group.key] { return known }
        var result = Result()
        guard !group.isSettled || group.mayUnwrap, let type = group.types.first else { return result }
        // For other statuses the body belongs to the error; a difference in the acceptable statuses is a change of its
        // own.
        let acceptable = scope.sections.reduce(scope.statuses) {
            $0.intersection(Statuses($1.policy.acceptableStatus))
        }
        for (index, capability) in classes.capabilities.enumerated() where capability.wanted.kind != .bytes {
            for statuses in group.statuses {
                let statuses = statuses.intersection(index == Capability.first ? scope.statuses : acceptable)
                guard !statuses.isEmpty else { continue }
                budget -= 1
                guard budget >= 0 else {
                    throw ComparisonFailure("there are more than \(ComparisonFailure.mostAnswers) answers to compare")
                }
                let head = classes.head(scope.host, type, statuses.witness)
                let answers = scope.sides.map { Answer($0, head, capability.wanted) }
                if var change = RegistryChange(.entries, answers[0], answers[1]) {
                    (change.inside, change.capabilities, change.statuses) = (scope.inside, [index], statuses)
                    result.changes.append(change)
                }
                let unwrapping = answers.map { Set($0.steps.filter(\.mayUnwrap).map(\.entry.id)) }
                for entry in unwrapping[0].intersection(unwrapping[1]) {
                    result.unwrappers[entry] = statuses.union(result.unwrappers[entry] ?? Statuses())
                }
            }
        }
        result.changes = result.changes.folded(\.statuses, Statuses()) { $0 = $0.union($1) }
            .folded(\.capabilities, [], +=)
        if isReceived { known[group.key] = result }
        return result
    }

    /// The classes of bodies for one host that the two registries write with different entries.
    func writerChanges(host: HostClass, _ groups: [RegistryClasses.Group]) -> [RegistryChange] {
        BodyForm.allCases.flatMap { form in
            groups.filter { !$0.isSettled }.compactMap { group in
                guard let type = group.types.first,
                    let before = classes.writers(of: 0, host: host, type: type, form),
                    let after = classes.writers(of: 1, host: host, type: type, form),
                    var change = RegistryChange(.writers, before, after)
                else { return nil }
                (change.types, change.form) = (group.types, form)
                return change
            }.folded(\.types, [], +=)
        }
    }
}
