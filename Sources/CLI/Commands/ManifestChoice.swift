import Patchbay
import PatchbayPlatform

/// The manifests that make the registry of a command.
struct ManifestChoice {
    /// The files in order, each layered over the files before it.
    let paths: [String]
    /// Whether the first file is the whole table. If false, the file is layered over the built-in table.
    let isBare: Bool
    private let declared: [String]
    /// Whether pipes are read, too. Their text is then not read again, as by a reload.
    private var readsPipes = false
    /// The texts of standard input (`-`) and of pipes, by path, as far as they were read.
    private var inputs: [String: ManifestSource] = [:]

    static let usual = "Plugins.json"

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

    /// A table of `diff`: the manifests of `--manifest`, and over them one more; nil for none.
    init(_ options: CommonOptions, over manifest: String?) {
        paths = options.manifests + [manifest].compactMap(\.self)
        readsPipes = true
        isBare = options.isBare
        declared = options.factories
    }

    /// This choice with the texts of standard input and of pipes, which can be read once.
    /// - Parameter earlier: a choice that has read some of them.
    func readingInput(after earlier: ManifestChoice? = nil) throws(CommandFailure) -> ManifestChoice {
        var choice = self
        choice.inputs = earlier?.inputs ?? [:]
        for path in paths where choice.inputs[path] == nil {
            guard path == "-" || readsPipes && InputFile.isPipe(path) else { continue }
            let bytes = try InputFile.read(path, limit: ManifestText.maximumBytes)
            choice.inputs[path] = .data(Data(bytes), name: path == "-" ? "<stdin>" : path)
        }
        return choice
    }

    /// The manifests with the typed paths, so that messages distinguish two files with the same name.
    var sources: [ManifestSource] { paths.map { inputs[$0] ?? .file(.file(at: $0), name: $0) } }

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
    /// The factories of every format that a manifest can name without code. The command has no use for the parser of
    /// `xml-parser`, which is in `PatchbayMigration`.
    static let ofCommands = standard.joined(with: .xmlParser(XMLParserSource.self))
}

private struct XMLParserSource: XMLTextSource, CustomStringConvertible {
    let text: XMLText
    var description: String { "an XML parser over \(ByteCount(text.utf8.count))" }
}

extension SerializerRegistry {
    /// The standard table with these factories.
    static let ofCommands: SerializerRegistry = {
        // The built-in factories accept the options of the standard table.
        (try? standard.with(.xmlParser(XMLParserSource.self))) ?? .standard
    }()
}
