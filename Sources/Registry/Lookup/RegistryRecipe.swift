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

    var layers: [ManifestLayer] = []
    var factories: SerializerFactories
    var replacements: [Replacement] = []
    /// Who counts what the entries do; nil where nobody does.
    var counters: EntryCounters?

    /// The same without the manifests of a reload.
    var beforeReload: RegistryRecipe {
        var recipe = self
        recipe.layers.removeAll(where: \.isReloaded)
        return recipe
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
            issues += error.issues.filter { Self.isSure($0.code) }
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
