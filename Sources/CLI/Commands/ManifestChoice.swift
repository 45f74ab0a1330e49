import Patchbay
import PatchbayPlatform

/// Which manifests make the registry of a command.
struct ManifestChoice {
    /// The files in order, a later one over the earlier.
    let paths: [String]
    /// Whether nothing lies under the first of them: else that is the built-in table.
    let isBare: Bool
    /// The names of factories that are known by their names alone.
    private let declared: [String]
    /// What stands in the place of `-`, where a command takes that.
    private var input: ManifestSource?

    static let usual = "Plugins.json"
    private static let builtIn = "built-in"

    /// The files named; if there is none, `Plugins.json` of the working folder, if that is there.
    init(_ options: CommonOptions, and more: [String] = []) {
        let named = options.manifests + more
        var status = stat()
        let hasUsual = lstat(Self.usual, &status) == 0
        paths = named.isEmpty && hasUsual ? [Self.usual] : named
        isBare = options.isBare
        declared = options.factories
    }

    /// The table that one word names: a manifest, or `built-in`.
    static func table(_ word: String, _ options: CommonOptions) throws(ManifestFailure) -> SerializerRegistry {
        guard word != builtIn else { return .standard }
        var options = options
        options.manifests = [word]
        return try ManifestChoice(options).registry()
    }

    var files: [URL] { paths.map { URL(filePath: $0) } }

    /// The same choice once standard input, where `-` names it, has been read.
    func readingInput() throws(CommandFailure) -> ManifestChoice {
        guard paths.contains("-") else { return self }
        var choice = self
        let bytes = try InputFile.read("-", limit: ManifestSource.maximumBytes)
        choice.input = ManifestSource(name: "<stdin>", bytes: Data(bytes))
        return choice
    }

    /// What errors call the files: two of one name are told apart by the paths that were typed.
    var names: [String] { paths.map { name($0) } }

    /// What lies under the files.
    func base() throws(ManifestFailure) -> SerializerRegistry {
        isBare ? try SerializerRegistry(sources: [], factories: .standard) : .standard
    }

    func registry() throws(ManifestFailure) -> SerializerRegistry {
        var factories = SerializerFactories.standard
        for name in Set(declared) { try factories.declare(name) }
        let files = paths.map(reading)
        if isBare { return try SerializerRegistry(files: files, factories: factories) }
        return files.isEmpty ? .standard : try SerializerRegistry.standard.overlaid(by: files, factories: factories)
    }

    private func name(_ path: String) -> String { path == "-" ? input?.name ?? path : path }

    private func reading(_ path: String) -> ManifestSource.Reading {
        if path == "-", let input { return .success(input) }
        return Result { () throws(ManifestFailure) in try ManifestSource(contentsOf: URL(filePath: path), name: path) }
    }
}
