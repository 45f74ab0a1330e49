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

    /// The same without the manifests of a reload.
    var beforeReload: RegistryRecipe {
        var recipe = self
        recipe.layers.removeAll(where: \.isReloaded)
        return recipe
    }

    /// The registry of these manifests over those that are there.
    func registry(
        under sources: [ManifestSource], areReloaded: Bool = false
    ) throws(ManifestFailure) -> SerializerRegistry {
        var recipe = self
        var issues: [ManifestFailure.Issue] = []
        for (index, source) in sources.enumerated() {
            guard var layer = ManifestLayer(source, isOverlay: index > 0 || !layers.isEmpty, &issues) else { continue }
            layer.isReloaded = areReloaded
            recipe.layers.append(layer)
        }
        guard recipe.layers.count == layers.count + sources.count else { throw ManifestFailure(issues) }
        return try RegistryBuilder.registry(recipe, issues)
    }
}
