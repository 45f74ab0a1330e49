/// What `test` is told: files of cases, or the file to write.
struct TestArguments: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json, junit
    }

    var files: [String] = []
    /// Where the cases of the table in force are written to.
    var written: String?
    /// The least coverage in percent.
    var failUnder: Int?
    var format = Format.text

    static let options = [
        .factory,
        CommandOption(
            "--write", takes: "FILE",
            help:
                "write a file of cases, one for each class of responses that the table tells apart (- standard output)"),
        CommandOption(
            "--fail-under", takes: "PERCENT",
            help: "end with 1 where the cases show less of the entries, the host sections or the policies"),
        CommandOption("--format", takes: "text|json|junit", help: "what to print on standard output (default: text)"),
    ]

    init(_ words: ScannedWords) throws(UsageError) {
        files = words.operands
        written = try words.one("--write")
        if let text = try words.one("--fail-under") {
            guard let percent = Int(text), (0...100).contains(percent) else {
                throw UsageError("--fail-under: '\(text)' is not a percentage; write 0 to 100")
            }
            failUnder = percent
        }
        if let name = try words.one("--format") {
            guard let format = Format(rawValue: name) else {
                throw UsageError("--format: '\(name)' is not a format; write text, json or junit")
            }
            self.format = format
        }
        if written != nil {
            try words.noOperands()
        } else if files.isEmpty {
            throw UsageError("the file of cases is missing")
        }
    }
}
