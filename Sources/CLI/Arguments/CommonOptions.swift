/// What every command takes.
struct CommonOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// Paths of manifests, the later over the earlier; none means the default choice.
    var manifests: [String] = []
    var format = Format.text
    var explains = false

    init() {}

    init(_ words: ScannedWords) throws(UsageError) {
        manifests = words.all("--manifest")
        explains = words.has("--explain")
        guard let name = try words.one("--format") else { return }
        guard let format = Format(rawValue: name) else {
            throw UsageError("--format: '\(name)' is not a format; write text or json")
        }
        guard format != .json || !words.has(CommandOption.raw.name) else {
            throw UsageError("--raw and --format json are both given; the bytes of a body are no document")
        }
        self.format = format
    }
}
