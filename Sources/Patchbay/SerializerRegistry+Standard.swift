import PatchbayPlugins
public import PatchbayRegistry

extension SerializerRegistry {
    /// The built-in table, the same as `Plugins.json` of the package, with the built-in serializers.
    public static let standard: SerializerRegistry = {
        do {
            return try SerializerRegistry(sources: [StandardManifest.source], factories: .standard)
        } catch {
            // The text is a constant of this module, and a test loads it: no input can bring this about.
            fatalError("the built-in manifest does not load: \(error)")
        }
    }()
}
