/// Puts serializers of code in the place of those that factories made.
struct SerializerReplacement {
    private let replacements: [RegistryRecipe.Replacement]

    init(_ replacements: [RegistryRecipe.Replacement]) { self.replacements = replacements }

    /// The sections with the replacements in place. A host that has no section gets one, equal to what held for it before.
    func applied(to general: RegistryBuilder.Part, _ parts: [RegistryBuilder.Part]) -> HostSections {
        var parts = parts
        for pattern in Set(replacements.compactMap(\.host)) where !parts.contains(where: { $0.pattern == pattern }) {
            let before = pattern.narrowestOther(parts, \.pattern) ?? general
            parts.append(.init(pattern: pattern, policy: before.policy, entries: before.entries))
        }
        return HostSections(general: section(general), parts.map(section))
    }

    func applied(to entry: RegistryEntry, host: HostPattern?) -> RegistryEntry {
        let own = host.flatMap { host in replacements.last { $0.id == entry.id && $0.host == host } }
        guard let replacement = own ?? replacements.last(where: { $0.id == entry.id && $0.host == nil }) else {
            return entry
        }
        return entry.replaced(by: replacement.serializer)
    }

    private func section(_ part: RegistryBuilder.Part) -> HostSection {
        let entries = part.entries.map { applied(to: $0, host: part.pattern) }
        return HostSection(pattern: part.pattern, policy: part.policy, entries: entries)
    }
}
