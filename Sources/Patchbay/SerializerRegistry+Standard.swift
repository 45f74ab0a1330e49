import PatchbayPlugins
public import PatchbayRegistry

extension SerializerRegistry {
    /// The registry of the built-in manifest, with the factories of every built-in format.
    ///
    /// It knows JSON and problem details, property lists, XML, forms and text; everything else is raw. To change it, lay a
    /// manifest of your own over it: `try SerializerRegistry.standard.overlaid(by: url)`.
    public static let standard: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try SerializerRegistry(sources: [StandardManifest.source], factories: .standard)
        } catch {
            // Only an edit of the built-in manifest could get here, and no test would pass after it.
            fatalError("the built-in manifest does not load: \(error)")
        }
    }()
}
