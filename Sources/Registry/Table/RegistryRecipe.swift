import PatchbayJSON

/// What a registry is made of: manifests in the order in which they overlay each other, factories, and what code replaced.
struct RegistryRecipe: Sendable {
    /// A serializer that code put in the place of an entry's own.
    struct Replacement: Sendable {
        let id: String
        /// The host section it holds for; nil for every host that has none of its own.
        let host: HostPattern?
        let serializer: any ResponseSerializer
    }

    /// A serializer that a factory made, and what it was told.
    struct Made: Sendable {
        let factory: String
        /// As text: two numbers that are equal may be written so that a factory tells them apart.
        let options: String
        let maximumBodyBytes: Int
        let serializer: any ResponseSerializer
    }

    var layers: [ManifestLayer] = []
    private(set) var factories: SerializerFactories
    var replacements: [Replacement] = []
    /// What the factories made for the registry before, by the ids of entries: a factory that would be told the same again is not
    /// run again.
    var made: [String: Made] = [:]

    init(factories: SerializerFactories) { self.factories = factories }

    /// The same without the manifests of a reload, and without what was made: a factory may read more than the manifest, and a
    /// reload is for all that has changed.
    var beforeReload: RegistryRecipe {
        var recipe = self
        recipe.layers.removeAll(where: \.isReloaded)
        recipe.made = [:]
        return recipe
    }

    /// More factories; where a name is taken already, these count.
    mutating func add(_ others: SerializerFactories) {
        factories = factories.joined(with: others)
        made = made.filter { others.recipe(named: $0.value.factory) == nil }
    }

    /// The registry of these manifests over those that are there.
    func registry(under sources: [ManifestSource]) throws(ManifestFailure) -> SerializerRegistry {
        try registry(under: sources.map { .success($0) })
    }

    /// The same of files, some of which may not have been read: then with what is wrong with the others.
    func registry(
        under files: [ManifestSource.Reading], areReloaded: Bool = false
    ) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = self
        var issues: [ManifestFailure.Issue] = []
        for (index, file) in files.enumerated() {
            switch file {
            case .success(let source):
                guard var layer = ManifestLayer(source, isOverlay: index > 0 || !layers.isEmpty, &issues) else {
                    continue
                }
                layer.isReloaded = areReloaded
                recipe.layers.append(layer)
            case .failure(let failure): issues += failure.issues
            }
        }
        guard recipe.layers.count < layers.count + files.count else {
            return try RegistryBuilder.registry(recipe, issues)
        }
        do {
            _ = try RegistryBuilder.registry(recipe, issues)
        } catch {
            issues += error.issues.filter { Self.isSure($0.kind) }
        }
        let names = files.map { file in
            switch file {
            case .success(let source): source.name
            case .failure(let failure): failure.issues.first?.file ?? ""
            }
        }
        throw ManifestFailure(issues.inReadingOrder(of: layers.map(\.source.name) + names))
    }

    /// Whether such a fault is one whatever stands in a layer that could not be read.
    private static func isSure(_ code: ManifestFailure.Issue.Code) -> Bool {
        [.unknownFactory, .unknownOption, .invalidOption, .factoryFailed].contains(code)
    }
}

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
