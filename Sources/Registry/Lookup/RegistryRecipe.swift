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
}
