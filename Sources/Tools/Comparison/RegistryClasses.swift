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
        package let statuses: [Statuses]
        package let key: Key
        /// Whether an entry can unwrap the body.
        let mayUnwrap: Bool

        /// Whether all registries have the same entries for these types, and so the same answers.
        var isSettled: Bool {
            func areEqual<Part: Equatable>(_ parts: [Part]) -> Bool { parts.allSatisfy { $0 == parts.first } }
            return areEqual(key.entries) && areEqual(key.named) && areEqual(key.policies)
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
        /// The type, if an entry covers it with other parameters: the reason of that entry names them.
        let alone: Int?
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
        var known: [[String]: Int] = [:]
        var numbers: [ObjectIdentifier: Int] = [:]
        for entry in sides.flatMap({ $0.everyEntry + $0.compiled.entries.values }) {
            let facts = entry.facts
            let number = known[facts] ?? known.count
            known[facts] = number
            numbers[ObjectIdentifier(entry)] = number
        }
        self.numbers = numbers
    }

    /// The groups of a host, in the order of their first types; responses without a valid type come last.
    package func groups(of host: HostClass) -> [Group] { groups(in: LookupScope(host, sides)) }

    func groups(in scope: LookupScope) -> [Group] {
        var groups: [Group] = []
        var known: [Key: Int] = [:]
        let sections = scope.sections
        let policies = sections.map(\.policy)
        let named = zip(scope.sides, sections).map { side, section in
            section.policy.fallbackIDs.compactMap { section.table.entry($0) ?? side.compiled.entries[$0] }
        }
        let parametrised = sections.map { section in
            section.table.entries.filter { $0.coverage.ranges?.contains { !$0.parameters.isEmpty } ?? false }
        }
        func numbered(_ lists: [[RegistryEntry]]) -> [[Int]] {
            lists.map { $0.map { numbers[ObjectIdentifier($0)] ?? -1 } }
        }
        // An unwrapped body always has a type.
        for index in Array(types.all.indices.dropFirst(2)) + (scope.inside.isEmpty ? [0, 1] : []) {
            let contentType = types.all[index].contentType
            let isNear = zip(scope.sides, parametrised).contains { side, entries in
                entries.contains { $0.coverage.fit(side.compiled.matched(contentType)) == .otherParameters }
            }
            let entries = zip(scope.sides, sections).map { $1.table.covering($0.compiled.matched(contentType)) }
            let key = Key(
                fault: contentType.mediaType == nil ? contentType : nil, entries: numbered(entries),
                named: numbered(named), policies: policies, alone: isNear ? index : nil)
            if let group = known[key] {
                groups[group].types.append(index)
                continue
            }
            known[key] = groups.count
            let all = (entries + named).joined()
            let sets = all.map(\.coverage.status) + policies.flatMap { [$0.acceptableStatus, $0.empty.status] }
            groups.append(
                Group(
                    types: [index], statuses: Statuses.classes(of: sets), key: key,
                    mayUnwrap: all.contains { $0.serializer?.unwrapping != nil }))
        }
        return groups
    }

    /// A registry's decision about the example of a group.
    package func decision(
        of side: Int, host: HostClass, type: Int, status: Int, producing wanted: WantedValue
    ) -> Decision {
        sides[side].decision(for: head(host, type, status), producing: wanted)
    }

    /// The entries that a registry asks about the example of a group.
    package func answer(
        of side: Int, host: HostClass, type: Int, status: Int, producing wanted: WantedValue
    ) -> Answer {
        Answer(sides[side], head(host, type, status), wanted)
    }

    /// The entries that a registry asks to write a body of a class of media types; nil if the class has no media type.
    package func writers(of side: Int, host: HostClass, type: Int, _ form: BodyForm) -> Answer? {
        guard types.all[type].contentType.mediaType != nil else { return nil }
        let matched = sides[side].compiled.matched(types.all[type].contentType)
        return Answer(writers: host.sections[side].table.covering(matched), form)
    }

    /// The class of a host, or of the path of a URL of it.
    package func host(of host: CanonicalHost?, at url: URL? = nil) -> Int? {
        let sections = sides.map { ObjectIdentifier($0.section(for: host, at: url)) }
        return hosts.firstIndex { $0.sections.map { ObjectIdentifier($0) } == sections }
    }

    /// A capability by its name. Without capabilities for elements, all elements are like other values. Elements that are
    /// bytes always are.
    package func capability(named name: String) -> Int? {
        let prefix = ["elements of ", "array of "].first(where: name.hasPrefix) ?? ""
        return [name, String(name.dropFirst(prefix.count))].lazy.compactMap { name in
            capabilities.firstIndex { $0.name == name }
        }.first
    }

    /// The ids of the entries that a registry can ask, each once.
    package func entries(of side: Int) -> [String] {
        sides[side].everyEntry.filter { $0.availability == .available }.map(\.id).once(by: \.self)
    }

    /// The ids of the entries of both registries whose factory is only declared.
    package var declared: Set<String> { Set(sides.flatMap(\.everyEntry).filter(\.isDeclared).map(\.id)) }

    func head(_ host: HostClass, _ type: Int, _ status: Int) -> ResponseHead {
        let url = host.url ?? URL(filePath: "/")
        let fields: HeaderFields = types.all[type].field.map { ["Content-Type": $0] } ?? [:]
        return ResponseHead(
            status: status, fields: fields, url: url, host: host.witness?.host, request: RequestHead(url: url))
    }
}

/// The tables that look up a body: those of a host or, inside entries that unwrapped the body, the rest of them.
struct LookupScope: Sendable {
    let host: HostClass
    private(set) var sides: [SerializerRegistry]
    /// The entries that unwrapped the body, outermost first.
    private(set) var inside: [String] = []
    /// The statuses of the responses.
    var statuses = Statuses.all

    init(_ host: HostClass, _ sides: [SerializerRegistry]) { (self.host, self.sides) = (host, sides) }

    var sections: [HostSection] { sides.map { $0.section(for: host.witness?.host, at: host.url) } }

    /// The entries that these tables can still choose.
    var entries: [[String]] {
        zip(sides, sections).map { side, section in
            section.table.entries.map(\.id) + section.policy.fallbackIDs.filter { side.compiled.entries[$0] != nil }
        }
    }

    func inside(_ entry: String, _ statuses: Statuses) -> LookupScope {
        var inner = self
        inner.sides = zip(sides, sections).map { $0.inside(entry, $1) }
        inner.inside.append(entry)
        inner.statuses = statuses
        return inner
    }
}

extension RouteTable {
    /// The entries that cover a type, in order.
    func covering(_ mediaType: MediaType?) -> [RegistryEntry] {
        var positions = positions(covering: mediaType)
        var found: [RegistryEntry] = []
        while let position = positions.next() { found.append(entries[position]) }
        return found
    }
}

extension RegistryEntry {
    /// The settings without the types that the entry covers: for a covered type, the answer depends on nothing else.
    fileprivate var facts: [String] {
        let printed =
            isReplaced
            ? [String(canonical: serializer?.serializer as Any), String(canonical: writer?.serializer as Any)] : []
        return [
            id, factory, options.serialized(sortedKeys: true), "\(coverage.status)", "\(coverage.isForElements)",
            "\(maximumBodyBytes ?? -1)", onFailure.rawValue, "\(serializer.map { ObjectIdentifier($0.output) } as Any)",
            "\(writer != nil)",
        ] + printed
    }
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
    package let sections: [HostSection]

    /// The classes of registries, the class of hosts without a section first.
    static func all(of registries: [SerializerRegistry]) throws(ComparisonFailure) -> [HostClass] {
        let classes = try witnesses(registries).map { name, witness in
            let url = witness?.url
            let sections = registries.map { $0.section(for: witness?.host, at: url) }
            return HostClass(names: [name], witness: witness, url: url, sections: sections)
        }
        return classes.grouped { $0.sections.map { ObjectIdentifier($0) } }.map { group in
            var whole = group[0]
            whole.names = group.flatMap(\.names)
            return whole
        }
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
        let named = Set(patterns.filter { !$0.isWildcard }.map(\.name))
        let places = Set(patterns.map { [$0.name, $0.isWildcard ? "*." : ""] })
        for place in places.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let (name, star) = (place[0], place[1])
            var example = star.isEmpty ? name : "a.\(name)"
            while !star.isEmpty, named.contains(example) { example = "a" + example }
            let matching = patterns.filter { $0.isWildcard ? example.hasSuffix(".\($0.name)") : example == $0.name }
            let ports = Set(matching.compactMap(\.port))
            // Any other port comes first: it is the usual spelling of a host, unless the default port of https is
            // named.
            let other =
                [443, 80, 8443, 8080].first { !ports.contains($0) } ?? (1...65535).first { !ports.contains($0) }
            for port in [other].compactMap(\.self) + ports.sorted() {
                guard let host = CanonicalHost("\(example):\(port)") else { continue }
                let place = port == other ? star + name : "\(star)\(name):\(port)"
                hosts.append((place, Endpoint(host)))
                for path in Set(paths.filter { $0.host.matches(host) }.map(\.pathText)).sorted() {
                    hosts.append((place + path, Endpoint(host, path: path)))
                }
            }
            guard hosts.count <= ComparisonFailure.mostClasses else {
                throw ComparisonFailure(
                    "there are more than \(ComparisonFailure.mostClasses) classes of hosts and ports")
            }
        }
        return hosts
    }
}
