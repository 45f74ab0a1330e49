import PatchbayJSON
import PatchbayPlatform

/// Everything that can be asked of some registries, split into classes that no pattern, alias or policy of any of them tells
/// apart: media types with their parameters, hosts with their ports, statuses, and what is wanted.
///
/// What a class is answered is the registries' own answer about one of its responses; what code decides is left open.
package struct RegistryClasses: Sendable {
    /// Types that the same entries of a host's tables cover, and statuses that neither those nor the policies tell apart.
    package struct Group: Sendable {
        /// Positions in `types`.
        package fileprivate(set) var types: [Int]
        package fileprivate(set) var statuses: [Statuses]
        package let key: Key
        /// Whether an entry may give the look-up a body inside the one received.
        let mayUnwrap: Bool

        /// Whether all registries know the same of these types, so that they cannot but answer alike.
        var isSettled: Bool {
            func areEqual<Part: Equatable>(_ parts: [Part]) -> Bool { parts.allSatisfy { $0 == parts.first } }
            return !mayUnwrap && areEqual(key.entries) && areEqual(key.named) && areEqual(key.policies)
        }
    }

    /// All that the answers about a group depend on.
    package struct Key: Hashable, Sendable {
        enum Kind: Sendable { case missing, invalid, mediaType }

        let kind: Kind
        /// Of each registry the entries that cover the types, in order, then those that policies name.
        let entries: [[Int]]
        let named: [[Int]]
        let policies: [SerializerRegistry.Policy]
    }

    /// The registries, in which no code has a say.
    let sides: [SerializerRegistry]
    package let types: TypeClasses
    package let hosts: [HostClass]
    package let capabilities: [Capability]
    /// A number of each entry, the same for entries of which the same is told.
    private let numbers: [ObjectIdentifier: Int]

    package init(_ registries: [SerializerRegistry]) throws(ComparisonFailure) {
        sides = registries.map(\.withoutCode)
        types = try TypeClasses(sides)
        hosts = try HostClass.all(of: sides)
        capabilities = Capability.all(of: sides)
        var known: [EntryFacts: Int] = [:]
        var numbers: [ObjectIdentifier: Int] = [:]
        for entry in sides.flatMap({ $0.everyEntry + $0.compiled.entries.values }) {
            let facts = EntryFacts(entry)
            let number = known[facts] ?? known.count
            known[facts] = number
            numbers[ObjectIdentifier(entry)] = number
        }
        self.numbers = numbers
    }

    /// The groups of a host, in the order of their first types; those of responses without a valid type come last.
    ///
    /// - Parameter starts: of each registry the position in its table from which entries count.
    package func groups(of host: HostClass, from starts: [Int]? = nil) -> [Group] {
        var groups: [Group] = []
        var known: [Key: Int] = [:]
        let policies = host.sections.map(\.policy)
        let named = zip(sides, host.sections).map { side, section in
            section.policy.fallbackIDs.compactMap { section.table.entry($0) ?? side.compiled.entries[$0] }
        }
        for index in Array(types.all.indices.dropFirst(2)) + types.all.indices.prefix(2) {
            let type = types.all[index]
            let entries = sides.indices.map { side in
                let section = host.sections[side]
                var positions = section.table.positions(covering: sides[side].compiled.matched(type.contentType))
                var found: [RegistryEntry] = []
                while let position = positions.next() {
                    if position >= starts?[side] ?? 0 { found.append(section.table.entries[position]) }
                }
                return found
            }
            let kind: Key.Kind =
                switch type.contentType {
                case .missing: .missing
                case .invalid: .invalid
                case .mediaType: .mediaType
                }
            func numbered(_ lists: [[RegistryEntry]]) -> [[Int]] {
                lists.map { $0.map { numbers[ObjectIdentifier($0)] ?? -1 } }
            }
            let key = Key(kind: kind, entries: numbered(entries), named: numbered(named), policies: policies)
            if let group = known[key] {
                groups[group].types.append(index)
                continue
            }
            known[key] = groups.count
            let sets =
                (entries + named).flatMap(\.self).map(\.coverage.status)
                + policies.flatMap { [$0.acceptableStatus, $0.empty.status] }
            let mayUnwrap = (entries + named).flatMap(\.self).contains { $0.serializer?.unwrapping != nil }
            groups.append(
                Group(types: [index], statuses: Statuses.classes(of: sets), key: key, mayUnwrap: mayUnwrap))
        }
        return groups
    }

    /// A registry's decision about the first response of a group.
    package func decision(
        of side: Int, host: HostClass, type: Int, status: Int, method: String = "GET", producing wanted: WantedValue
    ) -> Decision {
        var fields: HeaderFields = [:]
        if let field = types.all[type].field { fields["Content-Type"] = field }
        let head = ResponseHead(
            status: status, fields: fields, url: Self.url, host: host.witness,
            request: RequestHead(method: method, url: Self.url))
        return sides[side].decision(for: head, producing: wanted)
    }

    /// No code sees it.
    private static let url = URL(filePath: "/")

    /// The host class of a host.
    package func host(of host: CanonicalHost?) -> Int? {
        let sections = sides.map { ObjectIdentifier($0.compiled.sections.section(for: host)) }
        return hosts.firstIndex { $0.sections.map { ObjectIdentifier($0) } == sections }
    }
}

/// What an entry is, but for the types that it covers: what is answered where it does cover them depends on nothing else.
private struct EntryFacts: Hashable {
    let id: String
    let factory: String
    let options: JSON
    let status: StatusSet
    let isForElements: Bool
    let maximumBodyBytes: Int?
    let onFailure: FailureRule
    let output: ObjectIdentifier?
    let replacement: String?

    init(_ entry: RegistryEntry) {
        id = entry.id
        factory = entry.factory
        options = entry.options
        status = entry.coverage.status
        isForElements = entry.coverage.isForElements
        maximumBodyBytes = entry.maximumBodyBytes
        onFailure = entry.onFailure
        output = entry.serializer.map { ObjectIdentifier($0.output) }
        replacement = entry.replacement
    }
}

extension RegistryEntry {
    /// The serializer that code put in the place of its own, as far as it can be told, as in a digest: by what it prints.
    var replacement: String? { isReplaced ? serializer.map { String(reflecting: $0.serializer) } : nil }
}

extension SerializerRegistry.Policy {
    /// The ids of the entries that stand in where no other covers a response.
    var fallbackIDs: [String] {
        [noMatch, missingContentType, invalidContentType].compactMap { fallback in
            if case .entry(let id) = fallback { id } else { nil }
        }
    }
}
