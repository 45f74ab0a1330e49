// Turns the words of a command line into a value: the commands, their options, and the help for the commands and
// options.

import Patchbay

/// One parsed invocation of `patchbay`.
enum Command: Equatable, Sendable {
    case get(GetArguments, CommonOptions)
    case decode(DecodeArguments, CommonOptions)
    case explain(ExplainArguments, CommonOptions)
    /// With `page`, a page with the table and its answers is written to that file. With `why`, each key is printed with
    /// its place.
    case routes(host: String?, page: String? = nil, why: Bool = false, CommonOptions)
    case check(CheckArguments, CommonOptions)
    case manifest(CommonOptions)
    /// `before` and `after` are each the path of a manifest, `-` or `built-in`.
    case diff(before: String, after: String, CommonOptions)
    case test(TestArguments, CommonOptions)
    case initialise(file: String, CommonOptions)
    case schema(CommonOptions)
    case completions(Shell, CommonOptions)
    case manual(CommonOptions)
    /// With a port, the server of the demo listens on this port until it is stopped; 0 means any free port. With
    /// `watches`, the command continues after the table is printed, and prints the changed rows after each change of
    /// the manifests.
    case demo(port: UInt16?, watches: Bool = false, CommonOptions)
    /// Help for one command, or for all commands.
    case help(Name?)
    case version

    enum Name: String, CaseIterable, Sendable {
        case get, decode, explain, routes, check, manifest, diff, test
        case initialise = "init"
        case schema, completions, manual, demo
    }

    /// Parses the words after the program's name. No file is read.
    init(_ words: [String]) throws(UsageError) {
        guard let first = words.first else {
            throw UsageError("a URL or a command is missing; the commands are \(Self.names)")
        }
        switch first {
        case "--help", "-h", "help":
            self = .help(words.dropFirst().first.flatMap(Name.init))
            return
        case "--version":
            self = .version
            return
        default: break
        }
        let written = Name(rawValue: first)
        let isURL = written == nil && Self.isGet(words)
        guard isURL || !first.hasPrefix("-") else {
            throw UsageError("the command comes before its options: \(Self.names)")
        }
        guard let name = isURL ? .get : written else {
            let method = first.uppercased()
            guard !["DELETE", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"].contains(method) else {
                throw UsageError(
                    "unknown command '\(first)'; 'patchbay get -X \(method) URL' sends a request of this method")
            }
            let nearest = Spelling.nearest(to: first, in: Name.allCases.map(\.rawValue))
            let hint = nearest.map { "did you mean \($0)" } ?? "the commands are \(Self.names)"
            throw UsageError(
                "unknown command '\(Redaction.masked(first))'; \(hint); 'patchbay get' asks a host of this name")
        }
        let scanned = try ScannedWords(isURL ? words[...] : words.dropFirst(), for: name)
        guard !scanned.has("--help") else {
            self = .help(name)
            return
        }
        let common = try CommonOptions(scanned)
        switch name {
        case .get: self = .get(try GetArguments(scanned), common)
        case .decode: self = .decode(try DecodeArguments(scanned), common)
        case .explain: self = .explain(try ExplainArguments(scanned), common)
        case .routes:
            try scanned.noOperands()
            let (host, page) = (try DecodeArguments.host(scanned), try scanned.one("--html"))
            guard host == nil || page == nil else {
                throw UsageError("--host and --html are both given; a page has every host")
            }
            guard page == nil || !scanned.has("--why") else {
                throw UsageError("--why and --html are both given; a page has no places of keys")
            }
            self = .routes(host: host, page: page, why: scanned.has("--why"), common)
        case .check: self = .check(try CheckArguments(scanned, common), common)
        case .manifest:
            try scanned.noOperands()
            self = .manifest(common)
        case .diff:
            let (before, after) = try Self.pair(scanned)
            self = .diff(before: before, after: after, common)
        case .test: self = .test(try TestArguments(scanned), common)
        case .initialise: self = .initialise(file: try Self.newFile(scanned), common)
        case .schema:
            try scanned.noOperands()
            self = .schema(common)
        case .completions: self = .completions(try Self.shell(scanned), common)
        case .manual:
            try scanned.noOperands()
            self = .manual(common)
        case .demo:
            try scanned.noOperands()
            let port = try Self.port(scanned)
            guard port == nil || !scanned.has("--watch") else {
                throw UsageError("--serve and --watch are both given; one only answers, the other only asks")
            }
            self = .demo(port: port, watches: scanned.has("--watch"), common)
        }
    }

    /// Whether words that begin with no command are those of `get`: a URL, or options before a URL. The value of an
    /// option is no command.
    private static func isGet(_ words: [String]) -> Bool {
        guard let first = words.first, first.hasPrefix("-") else { return words.first.map(TypedURL.isLikely) ?? false }
        return ScannedWords.operand(in: words, for: .get).map { Name(rawValue: $0) == nil } ?? true
    }

    private static func pair(_ scanned: ScannedWords) throws(UsageError) -> (before: String, after: String) {
        try scanned.noOperands(after: 2)
        guard let before = scanned.operands.first, let after = scanned.operands.dropFirst().first else {
            throw UsageError("two tables are needed: a manifest each, or built-in")
        }
        guard (scanned.all("--manifest") + scanned.operands).count(where: { $0 == "-" }) <= 1 else {
            throw UsageError("- is given twice; standard input can be read once")
        }
        return (before, after)
    }

    private static func newFile(_ scanned: ScannedWords) throws(UsageError) -> String {
        try scanned.noOperands(after: 1)
        let file = scanned.operands.first ?? ManifestChoice.usual
        guard file != "-" else {
            throw UsageError("'-' is no file that could be written; 'patchbay init' writes \(ManifestChoice.usual)")
        }
        return file
    }

    private static func shell(_ scanned: ScannedWords) throws(UsageError) -> Shell {
        let name = try scanned.operand("the shell")
        guard let shell = Shell(rawValue: name) else {
            throw UsageError("'\(Redaction.masked(name))' has no completions; write bash, zsh or fish")
        }
        return shell
    }

    private static func port(_ scanned: ScannedWords) throws(UsageError) -> UInt16? {
        guard let text = try scanned.one("--serve") else { return nil }
        guard let port = UInt16(text) else { throw UsageError("--serve: '\(text)' is not a port; write 0 to 65535") }
        return port
    }

    /// The colours that the options ask for.
    var colour: CommonOptions.Colour {
        switch self {
        case .get(_, let options), .decode(_, let options), .explain(_, let options), .routes(_, _, _, let options),
            .check(_, let options), .manifest(let options), .diff(_, _, let options), .test(_, let options),
            .initialise(_, let options), .schema(let options), .completions(_, let options), .manual(let options),
            .demo(_, _, let options):
            options.colour
        case .help, .version: .auto
        }
    }

    private static let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
}

struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
