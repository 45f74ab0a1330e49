import PatchbayRegistry

/// Compares the entries that two registries consider for the responses of one host, class by class, for received and
/// for unwrapped bodies.
struct EntryComparison {
    /// The compared answers of one group of types.
    struct Result {
        struct Cell {
            let capability: Int
            let statuses: Statuses
            let before: RegistryChange.Answered
            let after: RegistryChange.Answered
        }

        var cells: [Cell] = []
        /// The entries that both registries can choose to unwrap the body, with the capabilities and statuses for which
        /// both registries can choose them.
        var unwrappers: [(entry: String, capability: Int, statuses: Statuses)] = []
    }

    /// A comparison for an unwrapped body; `path` has the ids of the entries that unwrapped the body, and is empty for
    /// the received body.
    private struct Scope {
        let path: [String]
        var reached: [Int: Statuses]
    }

    /// The inputs of a comparison for an unwrapped body: the index of the first considered entry in each table, and the
    /// entries of the policy that were considered before.
    private struct Place: Hashable {
        let starts: [Int]
        let spent: Set<String>
    }

    private let classes: RegistryClasses
    private let index: Int
    /// The groups of the host, for received bodies.
    private let outer: [RegistryClasses.Group]
    /// Results by their inputs: hosts share most entries.
    private(set) var known: [RegistryClasses.Key: Result]
    private(set) var budget: Int
    private var seen: [Place: [Int: Statuses]] = [:]

    init(
        _ classes: RegistryClasses, _ index: Int, _ groups: [RegistryClasses.Group],
        known: [RegistryClasses.Key: Result], budget: Int
    ) {
        self.classes = classes
        self.index = index
        outer = groups
        self.known = known
        self.budget = budget
    }

    private var host: HostClass { classes.hosts[index] }

    /// The statuses for which both registries look for the type that the call wants. For other statuses the body
    /// belongs to the error; a difference in the acceptable statuses is a change of its own.
    private var acceptable: Statuses {
        host.sections.reduce(Statuses.all) { $0.intersection(Statuses($1.policy.acceptableStatus)) }
    }

    mutating func changes() throws(ComparisonFailure) -> [RegistryChange] {
        var changes: [RegistryChange] = []
        let everything = classes.capabilities.indices.filter { classes.capabilities[$0].wanted.kind != .bytes }
        var scopes = [Scope(path: [], reached: Dictionary(uniqueKeysWithValues: everything.map { ($0, Statuses.all) }))]
        while let scope = scopes.popLast() {
            var blocks = BlockFold()
            var inner: [String: [Int: Statuses]] = [:]
            for group in groups(scope) {
                let result = try result(group, scope)
                blocks.add(result.cells, types: group.types)
                for (entry, capability, statuses) in result.unwrappers {
                    inner[entry, default: [:]][capability, default: Statuses()].formUnion(statuses)
                }
            }
            changes += blocks.changes(inside: scope.path, host: index)
            for (entry, reached) in inner.sorted(by: { $0.key > $1.key }) {
                if let new = unseen(Scope(path: scope.path + [entry], reached: reached)) { scopes.append(new) }
            }
        }
        return changes
    }

    private func groups(_ scope: Scope) -> [RegistryClasses.Group] {
        guard !scope.path.isEmpty else { return outer }
        // An inner body always has a type.
        return classes.groups(of: host, from: starts(scope.path)).filter { $0.key.fault == nil }
    }

    private mutating func result(_ group: RegistryClasses.Group, _ scope: Scope) throws(ComparisonFailure) -> Result {
        if scope.path.isEmpty, let known = known[group.key] { return known }
        var result = Result()
        if group.isSettled { return result }
        guard let type = group.types.first else { return result }
        let acceptable = acceptable
        for (capability, reached) in scope.reached.sorted(by: { $0.key < $1.key }) {
            let reached = capability == Capability.first ? reached : reached.intersection(acceptable)
            for statuses in group.statuses {
                let statuses = statuses.intersection(reached)
                guard !statuses.isEmpty else { continue }
                budget -= 1
                guard budget >= 0 else {
                    throw ComparisonFailure("there are more than \(ComparisonFailure.mostAnswers) answers to compare")
                }
                let before = Answer(decision(0, scope.path, type, statuses.witness, capability))
                let after = Answer(decision(1, scope.path, type, statuses.witness, capability))
                if !before.isSame(as: after) {
                    result.cells.append(
                        .init(
                            capability: capability, statuses: statuses,
                            before: .init(words: before.description(besides: after), json: before.json),
                            after: .init(words: after.description(besides: before), json: after.json)))
                }
                let unwrapping = Set(after.candidates.filter(\.mayUnwrap).map(\.entry))
                for candidate in before.candidates where candidate.mayUnwrap && unwrapping.contains(candidate.entry) {
                    result.unwrappers.append((candidate.entry, capability, statuses))
                }
            }
        }
        if scope.path.isEmpty { known[group.key] = result }
        return result
    }

    /// The decision about a response, or about a body that these entries unwrapped in turn.
    private func decision(_ side: Int, _ path: [String], _ type: Int, _ status: Int, _ capability: Int) -> Decision {
        let wanted = classes.capabilities[capability].wanted
        var decision = classes.decision(of: side, host: host, type: type, status: status, producing: wanted)
        for id in path {
            guard let entry = entry(id, side), let serializer = entry.serializer,
                let mediaType = classes.types.all[type].contentType.mediaType
            else { continue }
            decision = Decision(LookupPlanner(Unwrapping(decision, by: serializer, []), mediaType))
        }
        return decision
    }

    private func entry(_ id: String, _ side: Int) -> RegistryEntry? {
        host.sections[side].table.entry(id) ?? classes.sides[side].compiled.entries[id]
    }

    private func starts(_ path: [String]) -> [Int] {
        let type = classes.types.all.firstIndex { $0.contentType.mediaType != nil } ?? 0
        return classes.sides.indices.map { decision($0, path, type, 200, 0).unwrapping?.start ?? 0 }
    }

    /// The part of a scope that was not compared yet.
    private mutating func unseen(_ scope: Scope) -> Scope? {
        let policies = host.sections.map(\.policy)
        let place = Place(
            starts: starts(scope.path), spent: Set(scope.path).intersection(policies.flatMap(\.fallbackIDs)))
        var new: [Int: Statuses] = [:]
        for (capability, statuses) in scope.reached {
            let old = seen[place]?[capability] ?? Statuses()
            let rest = statuses.subtracting(old)
            guard !rest.isEmpty else { continue }
            new[capability] = rest
            var all = old
            all.formUnion(rest)
            seen[place, default: [:]][capability] = all
        }
        return new.isEmpty ? nil : Scope(path: scope.path, reached: new)
    }
}

/// Joins questions with equal answers: statuses, then types, then capabilities.
private struct BlockFold {
    private struct Pair: Hashable {
        let before: RegistryChange.Answered
        let after: RegistryChange.Answered
    }

    private var pairs: [Pair] = []
    /// The statuses of each pair, by type and by capability.
    private var cells: [Pair: [(type: Int, statuses: [Int: Statuses])]] = [:]

    mutating func add(_ more: [EntryComparison.Result.Cell], types: [Int]) {
        var byPair: [Pair: [Int: Statuses]] = [:]
        for cell in more {
            let pair = Pair(before: cell.before, after: cell.after)
            if cells[pair] == nil {
                cells[pair] = []
                pairs.append(pair)
            }
            byPair[pair, default: [:]][cell.capability, default: Statuses()].formUnion(cell.statuses)
        }
        for (pair, statuses) in byPair { cells[pair, default: []] += types.map { ($0, statuses) } }
    }

    func changes(inside path: [String], host: Int) -> [RegistryChange] {
        pairs.flatMap { pair in
            var blocks: [(statuses: [Int: Statuses], types: [Int])] = []
            for (type, statuses) in cells[pair] ?? [] {
                if let known = blocks.firstIndex(where: { $0.statuses == statuses }) {
                    blocks[known].types.append(type)
                } else {
                    blocks.append((statuses, [type]))
                }
            }
            return blocks.flatMap { byCapability, types in
                let capabilities = byCapability.keys.sorted()
                var rows: [(statuses: Statuses, capabilities: [Int])] = []
                for capability in capabilities {
                    guard let statuses = byCapability[capability] else { continue }
                    if let known = rows.firstIndex(where: { $0.statuses == statuses }) {
                        rows[known].capabilities.append(capability)
                    } else {
                        rows.append((statuses, [capability]))
                    }
                }
                return rows.map { statuses, capabilities in
                    RegistryChange(
                        aspect: .entries, inside: path, before: pair.before, after: pair.after, types: types,
                        capabilities: capabilities, statuses: statuses, methods: [], hosts: [host])
                }
            }
        }
    }
}
