import Patchbay
import PatchbayMigration
import PatchbayPlatform

/// The manifests that make the registry of a command.
struct ManifestChoice {
    /// The files in order, each layered over the files before it.
    let paths: [String]
    /// Whether the first file is the whole table. If false, the file is layered over the built-in table.
    let isBare: Bool
    private let declared: [String]
    /// The text of standard input (`-`); nil before it was read.
    private var input: ManifestSource?

    static let usual = "Plugins.json"
    private static let builtIn = "built-in"

    /// Whether `Plugins.json` of the working folder does not count, because it is the file of another program.
    var isPassedOver = false

    /// The named files; if there are none, `Plugins.json` of the working folder, if it exists.
    /// - Parameter onlyManifests: whether a `Plugins.json` without a `"manifestVersion"` is passed over.
    init(_ options: CommonOptions, and more: [String] = [], onlyManifests: Bool = true) {
        let named = options.manifests + more
        var status = stat()
        let hasUsual = lstat(Self.usual, &status) == 0
        isPassedOver = named.isEmpty && hasUsual && onlyManifests && !Self.isManifest(Self.usual)
        paths = named.isEmpty && hasUsual && !isPassedOver ? [Self.usual] : named
        isBare = options.isBare
        declared = options.factories
    }

    /// Whether the file names the version of its manifest. True for a file that cannot be read, whose fault must show.
    private static func isManifest(_ path: String) -> Bool {
        guard case .bytes(let bytes) = FileReading.of(path, upTo: ManifestText.maximumBytes) else { return true }
        return String(decoding: bytes, as: UTF8.self).contains(#""manifestVersion""#)
    }

    /// The table of one word: a manifest, or `built-in`.
    static func table(_ word: String, _ options: CommonOptions) throws(ManifestFailure) -> SerializerRegistry {
        guard word != builtIn else { return .ofCommands }
        var options = options
        options.manifests = [word]
        return try ManifestChoice(options).registry()
    }

    /// This choice with the text of standard input, if one of the paths is `-`.
    func readingInput() throws(CommandFailure) -> ManifestChoice {
        guard paths.contains("-") else { return self }
        var choice = self
        let bytes = try InputFile.read("-", limit: ManifestText.maximumBytes)
        choice.input = .data(Data(bytes), name: "<stdin>")
        return choice
    }

    /// The manifests with the typed paths, so that messages distinguish two files with the same name.
    var sources: [ManifestSource] {
        paths.map { path in
            if path == "-", let input { return input }
            return .file(.file(at: path), name: path)
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
    /// The factories of every format that a manifest can name without code, including those of `PatchbayMigration`.
    static let ofCommands = standard.joined(with: .migration)
}

extension SerializerRegistry {
    /// The standard table with these factories.
    static let ofCommands: SerializerRegistry = {
        // The built-in factories accept the options of the standard table.
        (try? standard.with(.migration)) ?? .standard
    }()
}
