import Patchbay

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which manifests make the registry of a command.
struct ManifestChoice {
    /// The files in order, a later one over the earlier.
    let paths: [String]
    /// Whether nothing lies under the first of them: else that is the built-in table.
    let isBare: Bool

    private static let usual = "Plugins.json"

    /// The files named; if there is none, `Plugins.json` of the working folder, if that is there.
    init(_ options: CommonOptions, and more: [String] = []) {
        let named = options.manifests + more
        var status = stat()
        let hasUsual = lstat(Self.usual, &status) == 0
        paths = named.isEmpty && hasUsual ? [Self.usual] : named
        isBare = options.isBare
    }

    func registry(factories: SerializerFactories = .standard) throws(ManifestFailure) -> SerializerRegistry {
        var sources: [ManifestSource] = []
        for path in paths {
            let file = try ManifestSource(contentsOf: URL(filePath: path))
            // Two files of one name are told apart by the paths that were typed.
            sources.append(ManifestSource(name: path, bytes: file.bytes))
        }
        if isBare { return try SerializerRegistry(sources: sources, factories: factories) }
        return sources.isEmpty ? .standard : try SerializerRegistry.standard.overlaid(by: sources, factories: factories)
    }
}
