public import PatchbayPlugins
public import PatchbayRegistry

extension SerializerRegistry {
    /// The standard table, with the factories of every built-in format.
    ///
    /// It reads JSON and problem details, property lists, XML, forms and text; everything else is raw.
    public static let standard: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try SerializerRegistry([])
        } catch {
            // Only a faulty edit of the built-in manifest leads here, and then every test fails.
            fatalError("the built-in manifest does not load: \(error)")
        }
    }()

    /// A registry of manifests over the standard table, each over those before it. A manifest with `"inherit": false`
    /// has no layer below it.
    ///
    ///     let registry = try SerializerRegistry([.file(URL(filePath: "/etc/shop/Plugins.json"))])
    ///
    /// - Parameters:
    ///   - manifests: the manifests, each over those before it.
    ///   - factories: all factories that the built-in table and the manifests can name. For factories of your own,
    ///     extend a copy of `SerializerFactories.standard`.
    /// - Throws: `ManifestFailure` with all faults of all manifests.
    public init(
        _ manifests: [ManifestSource], factories: SerializerFactories = .standard
    ) throws(ManifestFailure) {
        try self.init(sources: [StandardManifest.source], under: manifests, factories: factories)
    }
}
