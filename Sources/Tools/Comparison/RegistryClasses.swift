import PatchbayJSON
import PatchbayPlatform
package import PatchbayRegistry

/// Everything that can be asked of some registries, split into classes that no pattern, alias or policy of any of them tells
/// apart: media types with their parameters, hosts with their ports, statuses, and what is wanted.
///
/// What a class is answered is the registries' own answer about one of its responses; what code decides is left open.
package struct RegistryClasses: Sendable {
    /// Types that the same entries of a host's tables cover, and statuses that neither those nor the policies tell apart.
    package struct Group: Sendable {
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

/// Hosts whose responses the same sections answer, one of each registry, so that no pattern tells them apart.
package struct HostClass: Sendable {
    /// What the hosts are called: patterns, and `any host` or `any other host` for those that no pattern matches.
    package private(set) var names: [String]
    /// One of them; nil stands for a URL without a host, which no pattern matches either.
    package let witness: CanonicalHost?
    /// Of each registry the section that applies.
    let sections: [HostSection]

    /// The classes of registries: first that of hosts without a section.
    static func all(of registries: [SerializerRegistry]) throws(ComparisonFailure) -> [HostClass] {
        var classes: [HostClass] = []
        var known: [[ObjectIdentifier]: Int] = [:]
        for (name, witness) in try witnesses(registries) {
            let sections = registries.map { $0.compiled.sections.section(for: witness) }
            let key = sections.map { ObjectIdentifier($0) }
            if let index = known[key] {
                classes[index].names.append(name)
            } else {
                known[key] = classes.count
                classes.append(HostClass(names: [name], witness: witness, sections: sections))
            }
        }
        return classes
    }

    /// A host for everything that patterns can say of one: its name or what is above it, each port that is named, and any other.
    /// Hosts too many do no harm: the registries say what applies to them.
    private static func witnesses(
        _ registries: [SerializerRegistry]
    ) throws(ComparisonFailure) -> [(name: String, host: CanonicalHost?)] {
        let patterns = Set(registries.flatMap { $0.compiled.sections.all.compactMap(\.pattern) })
        guard !patterns.isEmpty else { return [("any host", nil)] }
        var hosts: [(name: String, host: CanonicalHost?)] = [("any other host", nil)]
        let named = Set(patterns.filter { !$0.isWildcard }.map(\.name))
        let exactPorts = ports(of: patterns.filter { !$0.isWildcard })
        let wildcardPorts = ports(of: patterns.filter(\.isWildcard))
        let places = Set(patterns.map { Place(isWildcard: $0.isWildcard, name: $0.name) })
        for place in places.sorted(by: <) {
            var above = place.isWildcard ? [place.name] : []
            above += suffixes(of: place.name)
            var ports: Set<Int> = place.isWildcard ? [] : exactPorts[place.name] ?? []
            for name in above { ports.formUnion(wildcardPorts[name] ?? []) }
            let example = place.isWildcard ? subdomain(of: place.name, besides: named) : place.name
            let other = usualPorts.first { !ports.contains($0) } ?? (1...65535).first { !ports.contains($0) }
            // Any other port first: it is the host as people write it, unless the default of https is named.
            if let other, let host = CanonicalHost("\(example):\(other)") { hosts.append((place.description, host)) }
            for port in ports.sorted() {
                if let host = CanonicalHost("\(example):\(port)") { hosts.append(("\(place):\(port)", host)) }
            }
            guard hosts.count <= ComparisonFailure.mostClasses else {
                throw ComparisonFailure(
                    "there are more than \(ComparisonFailure.mostClasses) classes of hosts and ports")
            }
        }
        return hosts
    }

    private static let usualPorts = [443, 80, 8443, 8080]

    /// The part of a pattern that is about names.
    private struct Place: Hashable, Comparable, CustomStringConvertible {
        let isWildcard: Bool
        let name: String
        var description: String { (isWildcard ? "*." : "") + name }
        static func < (left: Place, right: Place) -> Bool {
            left.name != right.name ? left.name < right.name : !left.isWildcard && right.isWildcard
        }
    }

    private static func ports(of patterns: Set<HostPattern>) -> [String: Set<Int>] {
        patterns.reduce(into: [:]) { ports, pattern in
            if let port = pattern.port { ports[pattern.name, default: []].insert(port) }
        }
    }

    /// What wildcards can name above a host: the name without its first labels.
    private static func suffixes(of name: String) -> [String] {
        guard !HostName.isAddress(name) else { return [] }
        let labels = name.split(separator: ".")
        return labels.indices.dropFirst().map { labels[$0...].joined(separator: ".") }
    }

    /// A name under a wildcard that has no pattern of its own.
    private static func subdomain(of name: String, besides named: Set<String>) -> String {
        var label = "a"
        while named.contains("\(label).\(name)") { label += "a" }
        return "\(label).\(name)"
    }
}
