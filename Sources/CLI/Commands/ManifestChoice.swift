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
    /// The files in order, a later one over the earlier; none stands for the table that is built in.
    let paths: [String]

    private static let usual = "Plugins.json"

    /// The files named; if there is none, `Plugins.json` of the working folder; if there is none either, the built-in table.
    init(_ named: [String]) {
        var status = stat()
        let hasUsual = lstat(Self.usual, &status) == 0
        paths = named.isEmpty && hasUsual ? [Self.usual] : named
    }

    func registry() throws(ManifestFailure) -> SerializerRegistry {
        guard !paths.isEmpty else { return .standard }
        var sources: [ManifestSource] = []
        for path in paths {
            let file = try ManifestSource(contentsOf: URL(filePath: path))
            // Two files of one name are told apart by the paths that were typed.
            sources.append(ManifestSource(name: path, bytes: file.bytes))
        }
        return try SerializerRegistry(sources: sources, factories: .standard)
    }
}
