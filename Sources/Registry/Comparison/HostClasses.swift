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
