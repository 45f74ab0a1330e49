/// The sections of a registry, to find the one that applies to a host.
struct HostSections: Sendable {
    /// The section for hosts that no pattern matches.
    let general: HostSection
    /// By exact name: the patterns of that name with and without a port, narrowest first.
    private let exact: [String: [HostSection]]
    /// The wildcards, narrowest first.
    private let wildcards: [HostSection]
    /// Every section, that for hosts that no pattern matches first.
    let all: [HostSection]

    init(general: HostSection, _ sections: [HostSection]) {
        self.general = general
        all = [general] + sections
        let named = sections.compactMap { section in section.pattern.map { (pattern: $0, section: section) } }
        var exact: [String: [HostSection]] = [:]
        var wildcards: [HostSection] = []
        for (pattern, section) in named.sorted(by: { $0.pattern.specificity > $1.pattern.specificity }) {
            if pattern.isWildcard {
                wildcards.append(section)
            } else {
                exact[pattern.name, default: []].append(section)
            }
        }
        self.exact = exact
        self.wildcards = wildcards
    }

    /// The one section that applies.
    func section(for host: CanonicalHost?) -> HostSection {
        guard let host, !(exact.isEmpty && wildcards.isEmpty) else { return general }
        return exact[host.name]?.first { $0.pattern?.matches(host) ?? false }
            ?? wildcards.first { $0.pattern?.matches(host) ?? false } ?? general
    }
}
