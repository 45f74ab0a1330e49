/// Puts serializers of code in the place of those that factories made.
struct SerializerReplacement {
    private let replacements: [RegistryRecipe.Replacement]

    init(_ replacements: [RegistryRecipe.Replacement]) { self.replacements = replacements }

    /// The sections with the replacements in place.
    ///
    /// A host pattern without a section gets one, equal to what held for its hosts before. Wide patterns come first, so that
    /// what was replaced for `*.example.com` still holds for an `api.example.com` that has a replacement of its own.
    func applied(to general: RegistryBuilder.Part, _ parts: [RegistryBuilder.Part]) -> HostSections {
        let general = replaced(general)
        var parts = parts.map(replaced)
        let named = Set(parts.compactMap(\.pattern))
        let new = Set(replacements.compactMap(\.host)).subtracting(named)
        for pattern in new.sorted(by: { $0.specificity < $1.specificity }) {
            let before = Self.part(for: pattern, parts) ?? general
            let entries = before.entries.map { replaced($0, for: pattern) ?? $0 }
            parts.append(.init(pattern: pattern, policy: before.policy, entries: entries))
        }
        return HostSections(general: section(general), parts.map(section))
    }

    /// An entry as it is for hosts without a section.
    func applied(to entry: RegistryEntry) -> RegistryEntry { replaced(entry, for: nil) ?? entry }

    private func replaced(_ part: RegistryBuilder.Part) -> RegistryBuilder.Part {
        let entries = part.entries.map { entry in
            part.pattern.flatMap { replaced(entry, for: $0) } ?? applied(to: entry)
        }
        return .init(pattern: part.pattern, policy: part.policy, entries: entries)
    }

    private func replaced(_ entry: RegistryEntry, for host: HostPattern?) -> RegistryEntry? {
        replacements.last { $0.id == entry.id && $0.host == host }
            .map { entry.replaced(by: BoundSerializer($0.serializer)) }
    }

    private func section(_ part: RegistryBuilder.Part) -> HostSection {
        HostSection(pattern: part.pattern, policy: part.policy, entries: part.entries)
    }

    /// The part that applies to the hosts of a pattern, before there is one for the pattern itself.
    private static func part(for pattern: HostPattern, _ parts: [RegistryBuilder.Part]) -> RegistryBuilder.Part? {
        let example = pattern.isWildcard ? "a." + pattern.canonical.dropFirst(2) : pattern.canonical
        guard let host = CanonicalHost(example) else { return nil }
        let applying = parts.compactMap { part in part.pattern.map { (pattern: $0, part: part) } }
            .filter { $0.pattern.matches(host) }
        return applying.max { $0.pattern.specificity < $1.pattern.specificity }?.part
    }
}
