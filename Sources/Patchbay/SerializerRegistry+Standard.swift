public import PatchbayPlugins
public import PatchbayRegistry

extension SerializerRegistry {
    /// The standard table, with the factories of every built-in format.
    ///
    /// The table reads JSON and problem details, property lists, XML, forms, text and, where possible, images. It reads
    /// the elements of JSON lines, JSON text sequences, server-sent events, CSV and multipart bodies. All other bodies
    /// stay raw.
    public static let standard: SerializerRegistry = {
        do throws(ManifestFailure) {
            return try SerializerRegistry([])
        } catch {
            // Only a faulty edit of the built-in manifest causes this failure, and then every test fails.
            fatalError("the built-in manifest does not load: \(error)")
        }
    }()

    /// Makes a registry from the standard table with the manifests layered over it. Each manifest lies over the
    /// manifests before it. No layer lies below a manifest with `"inherit": false`.
    ///
    ///     let registry = try SerializerRegistry([.file(URL(filePath: "/etc/shop/Plugins.json"))])
    ///
    /// - Parameters:
    ///   - manifests: the manifests, from the lowest layer to the highest.
    ///   - factories: all factories that the built-in table and the manifests can name. For factories of your own,
    ///     extend a copy of `SerializerFactories.standard`.
    /// - Throws: `ManifestFailure` with all faults of all manifests.
    public init(
        _ manifests: [ManifestSource], factories: SerializerFactories = .standard
    ) throws(ManifestFailure) {
        try self.init(sources: [StandardManifest.source], under: manifests, factories: factories)
    }
}
