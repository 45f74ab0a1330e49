/// What `check` is told: the manifests, and what it cannot know of them.
struct CheckArguments: Equatable, Sendable {
    /// How faults and notes are printed.
    enum Format: String, CaseIterable, Sendable {
        case text, json
        /// For code scanning: SARIF 2.1.0.
        case sarif
        /// Workflow commands, which GitHub shows beside the lines that they name.
        case github
    }

    /// Paths, over those of the common options, the later over the earlier; `-` is standard input.
    var manifests: [String] = []
    var format = Format.text
    /// Whether warnings count as errors.
    var isStrict = false

    static let options = [
        .factory,
        CommandOption("--strict", help: "end with 3 where there are warnings, too"),
        CommandOption(
            "--format", takes: Format.allCases.map(\.rawValue).joined(separator: "|"),
            help: "what to print on standard output (default: text)"),
    ]

    init() {}

    init(_ words: ScannedWords, _ common: CommonOptions) throws(UsageError) {
        manifests = words.operands
        guard (common.manifests + manifests).count(where: { $0 == "-" }) <= 1 else {
            throw UsageError("- is given twice; standard input can be read once")
        }
        isStrict = words.has("--strict")
        guard let name = try words.one("--format") else { return }
        guard let format = Format(rawValue: name) else {
            throw UsageError("--format: '\(name)' is not a format; write text, json, sarif or github")
        }
        self.format = format
    }
}
