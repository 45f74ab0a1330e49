import Patchbay
import PatchbayMigration
import PatchbayPlatform

/// Which manifests make the registry of a command.
struct ManifestChoice {
    /// The files in order, a later one over the earlier.
    let paths: [String]
    /// Whether nothing lies under the first of them: else that is the built-in table.
    let isBare: Bool
    private let declared: [String]
    /// Standard input, which `-` names, once it has been read.
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
        guard word != builtIn else { return .ofCommands }
        var options = options
        options.manifests = [word]
        return try ManifestChoice(options).registry()
    }

    /// The same choice once standard input, where `-` names it, has been read.
    func readingInput() throws(CommandFailure) -> ManifestChoice {
        guard paths.contains("-") else { return self }
        var choice = self
        let bytes = try InputFile.read("-", limit: ManifestText.maximumBytes)
        choice.input = .data(Data(bytes), name: "<stdin>")
        return choice
    }

    /// The manifests, by the paths that were typed: so messages tell two files of one name apart.
    var sources: [ManifestSource] {
        paths.map { path in
            if path == "-", let input { return input }
            return .file(URL(filePath: path), name: path)
        }
    }

    var names: [String] { sources.map(\.name) }

    func base() throws(ManifestFailure) -> SerializerRegistry {
        isBare ? try SerializerRegistry(sources: [], factories: .ofCommands) : .ofCommands
    }

    func registry() throws(ManifestFailure) -> SerializerRegistry {
        var factories = SerializerFactories.ofCommands
        for name in Set(declared) { try factories.declare(name) }
        if isBare { return try SerializerRegistry(sources: sources, factories: factories) }
        return paths.isEmpty ? .ofCommands : try SerializerRegistry(sources, factories: factories)
    }
}

extension SerializerFactories {
    /// The factories of every format that a manifest can name without code: those of `PatchbayMigration` too.
    static let ofCommands = standard.joined(with: .migration)
}

extension SerializerRegistry {
    /// The standard table with these factories.
    static let ofCommands: SerializerRegistry = {
        // No factory of ours refuses the options of the standard table.
        (try? standard.with(.migration)) ?? .standard
    }()
}
