import PatchbayJSON
package import PatchbayPlatform
package import PatchbayRegistry

/// All look-ups in some registries, in classes that no pattern, alias or policy distinguishes: media types with
/// parameters, hosts with ports, statuses, and capabilities.
///
/// The answer of a class is the answer for one example of the class. Choices that code makes are not part of the
/// answer.
package struct RegistryClasses: Sendable {
    /// Types that the same entries of a host cover, and statuses that neither these entries nor the policies
    /// distinguish.
    package struct Group: Sendable {
        package fileprivate(set) var types: [Int]
        package fileprivate(set) var statuses: [Statuses]
        package let key: Key
        /// Whether an entry can unwrap the body.
        let mayUnwrap: Bool

        /// Whether all registries have the same entries for these types, and so the same answers.
        var isSettled: Bool {
            func areEqual<Part: Equatable>(_ parts: [Part]) -> Bool { parts.allSatisfy { $0 == parts.first } }
            return !mayUnwrap && areEqual(key.entries) && areEqual(key.named) && areEqual(key.policies)
        }
    }

    /// All inputs of the answers of a group.
    package struct Key: Hashable, Sendable {
        /// `missing` or `invalid`; nil for responses with a valid type.
        let fault: ContentType?
        /// The entries of each registry that cover the types, in order.
        let entries: [[Int]]
        /// The entries that the policy of each registry names.
        let named: [[Int]]
        let policies: [SerializerRegistry.Policy]
    }

    /// The registries, without their code.
    let sides: [SerializerRegistry]
    package let types: TypeClasses
    package let hosts: [HostClass]
    package let capabilities: [Capability]
    /// A number for each entry; entries with the same settings have the same number.
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

    /// The groups of a host, in the order of their first types; responses without a valid type come last.
    ///
    /// - Parameter starts: the index of the first considered entry, in the table of each registry.
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
            let fault = type.contentType.mediaType == nil ? type.contentType : nil
            func numbered(_ lists: [[RegistryEntry]]) -> [[Int]] {
                lists.map { $0.map { numbers[ObjectIdentifier($0)] ?? -1 } }
            }
            let key = Key(fault: fault, entries: numbered(entries), named: numbered(named), policies: policies)
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

    /// A registry's decision about the example of a group.
    package func decision(
        of side: Int, host: HostClass, type: Int, status: Int, method: String = "GET", producing wanted: WantedValue
    ) -> Decision {
        var fields: HeaderFields = [:]
        if let field = types.all[type].field { fields["Content-Type"] = field }
        let head = ResponseHead(
            status: status, fields: fields, url: host.url ?? Self.url, host: host.witness?.host,
            request: RequestHead(method: method, url: Self.url))
        return sides[side].decision(for: head, producing: wanted)
    }

    /// No code of a serializer gets this URL.
    private static let url = URL(filePath: "/")

    package func host(of host: CanonicalHost?, at url: URL? = nil) -> Int? {
        let sections = sides.map { ObjectIdentifier($0.section(for: host, at: url)) }
        return hosts.firstIndex { $0.sections.map { ObjectIdentifier($0) } == sections }
    }
}

/// The settings of an entry without the types that it covers: for a covered type, the answer depends on nothing else.
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
    /// The printed form of the serializer that replaces the entry's own in code, as in a digest.
    var replacement: String? { isReplaced ? serializer.map { String(reflecting: $0.serializer) } : nil }
}

extension SerializerRegistry.Policy {
    /// The ids of the fallback entries, for responses that no other entry covers.
    var fallbackIDs: [String] {
        [noMatch, missingContentType, invalidContentType].compactMap { fallback in
            if case .entry(let id) = fallback { id } else { nil }
        }
    }
}

/// Hosts with the same sections, one for each registry, so that no pattern distinguishes them.
package struct HostClass: Sendable {
    /// The names of the hosts: patterns, with their paths, and `any host` or `any other host` for hosts without a pattern.
    package private(set) var names: [String]
    /// An example of the hosts; nil means a URL without a host, which also matches no pattern.
    package let witness: Endpoint?
    /// The URL of the example.
    package let url: URL?
    /// The section that applies in each registry.
    let sections: [HostSection]

    /// The classes of registries, the class of hosts without a section first.
    static func all(of registries: [SerializerRegistry]) throws(ComparisonFailure) -> [HostClass] {
        var classes: [HostClass] = []
        var known: [[ObjectIdentifier]: Int] = [:]
        for (name, witness) in try witnesses(registries) {
            let url = witness?.url
            let sections = registries.map { $0.section(for: witness?.host, at: url) }
            let key = sections.map { ObjectIdentifier($0) }
            if let index = known[key] {
                classes[index].names.append(name)
            } else {
                known[key] = classes.count
                classes.append(HostClass(names: [name], witness: witness, url: url, sections: sections))
            }
        }
        return classes
    }

    /// An example for every distinction that patterns can make: each name, each wildcard, each named port, any other
    /// port, and each path. More examples than needed are harmless, because the registries give the sections.
    private static func witnesses(
        _ registries: [SerializerRegistry]
    ) throws(ComparisonFailure) -> [(name: String, host: Endpoint?)] {
        let keys = Set(registries.flatMap { $0.compiled.sections.all.compactMap(\.pattern) })
        guard !keys.isEmpty else { return [("any host", nil)] }
        let patterns = Set(keys.map(\.host))
        let paths = keys.filter { !$0.path.isEmpty }.sorted { $0.canonical < $1.canonical }
        var hosts: [(name: String, host: Endpoint?)] = [("any other host", nil)]
        func add(_ name: String, _ host: CanonicalHost) {
            hosts.append((name, Endpoint(host)))
            var known: Set<String> = []
            for key in paths where key.host.matches(host) && known.insert(key.pathText).inserted {
                hosts.append((name + key.pathText, Endpoint(host, path: key.pathText)))
            }
        }
        let named = Set(patterns.filter { !$0.isWildcard }.map(\.name))
        let withPort = patterns.filter { $0.port != nil }
        let places = Set(patterns.map { Place(isWildcard: $0.isWildcard, name: $0.name) })
        for place in places.sorted(by: <) {
            let example = place.isWildcard ? subdomain(of: place.name, besides: named) : place.name
            let matching = withPort.filter { $0.isWildcard ? example.hasSuffix(".\($0.name)") : example == $0.name }
            let ports = Set(matching.compactMap(\.port))
            let other = usualPorts.first { !ports.contains($0) } ?? (1...65535).first { !ports.contains($0) }
            // Any other port comes first: it is the usual spelling of a host, unless the default port of https is
            // named.
            if let other, let host = CanonicalHost("\(example):\(other)") { add(place.description, host) }
            for port in ports.sorted() {
                if let host = CanonicalHost("\(example):\(port)") { add("\(place):\(port)", host) }
            }
            guard hosts.count <= ComparisonFailure.mostClasses else {
                throw ComparisonFailure(
                    "there are more than \(ComparisonFailure.mostClasses) classes of hosts and ports")
            }
        }
        return hosts
    }

    private static let usualPorts = [443, 80, 8443, 8080]

    /// The name part of a pattern.
    private struct Place: Hashable, Comparable, CustomStringConvertible {
        let isWildcard: Bool
        let name: String
        var description: String { (isWildcard ? "*." : "") + name }
        static func < (left: Place, right: Place) -> Bool {
            left.name != right.name ? left.name < right.name : !left.isWildcard && right.isWildcard
        }
    }

    /// A name below a wildcard that has no pattern of its own.
    private static func subdomain(of name: String, besides named: Set<String>) -> String {
        var label = "a"
        while named.contains("\(label).\(name)") { label += "a" }
        return "\(label).\(name)"
    }
}
