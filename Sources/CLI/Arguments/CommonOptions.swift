import Patchbay

/// What every command takes.
struct CommonOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// Paths of manifests, the later over the earlier; none means the default choice.
    var manifests: [String] = []
    /// Whether they lie over nothing, and not over the built-in table.
    var isBare = false
    /// The names of factories that the program registers that will use the manifests.
    var factories: [String] = []
    var format = Format.text
    var explains = false

    init() {}

    /// - Parameter hasOwnFormat: whether the command reads `--format` itself.
    init(_ words: ScannedWords, hasOwnFormat: Bool = false) throws(UsageError) {
        manifests = words.all("--manifest")
        isBare = words.has("--bare")
        factories = words.all(CommandOption.factory.name)
        if let name = factories.first(where: SerializerFactories.standard.names.contains) {
            throw UsageError("--factory: Patchbay has a factory '\(name)' already, whose options it judges")
        }
        explains = words.has("--explain")
        guard !hasOwnFormat, let name = try words.one("--format") else { return }
        guard let format = Format(rawValue: name) else {
            throw UsageError("--format: '\(name)' is not a format; write text or json")
        }
        guard format != .json || !words.has(CommandOption.raw.name) else {
            throw UsageError("--raw and --format json are both given; the bytes of a body are no document")
        }
        self.format = format
    }
}
