import PatchbayJSON

/// Everything that a registry is, built once and shared.
///
/// A class of constants only, so that a decision keeps its registry for the price of one reference.
final class CompiledRegistry: Sendable {
    /// What the registry was made of, for the next one that is made from it.
    let recipe: RegistryRecipe
    let sections: HostSections
    /// Every entry by id, for `using`. Entries of the global list are here as they are for hosts without a section.
    let entries: [String: RegistryEntry]
    let aliases: [String: MediaType]
    let effectiveManifest: JSON
    let digest: String
    let notes: [ManifestNote]

    init(
        recipe: RegistryRecipe, sections: HostSections, entries: [String: RegistryEntry], aliases: [String: MediaType],
        effectiveManifest: JSON, digest: RegistryDigest, notes: [ManifestNote]
    ) {
        self.recipe = recipe
        self.sections = sections
        self.entries = entries
        self.aliases = aliases
        self.effectiveManifest = effectiveManifest
        self.notes = notes
        self.digest = digest.hexadecimal
    }

    /// The same registry, said to be made of something else.
    init(_ other: CompiledRegistry, recipe: RegistryRecipe) {
        self.recipe = recipe
        sections = other.sections
        entries = other.entries
        aliases = other.aliases
        effectiveManifest = other.effectiveManifest
        notes = other.notes
        digest = other.digest
    }

    /// The media type that matching sees: the alias's target with the parameters received, or the type itself.
    func matched(_ contentType: ContentType) -> MediaType? {
        guard let mediaType = contentType.mediaType else { return nil }
        guard !aliases.isEmpty, let target = aliases[mediaType.essence] else { return mediaType }
        return mediaType.withEssence(of: target)
    }
}
