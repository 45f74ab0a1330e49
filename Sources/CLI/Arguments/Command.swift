// Turns the words of a command line into a value: the commands, their options, and the help for the commands and
// options.

import Patchbay

/// One parsed invocation of `patchbay`.
struct Command: Equatable, Sendable {
    let action: Action
    var options = CommonOptions()

    enum Action: Equatable, Sendable {
        case get(GetArguments)
        case decode(DecodeArguments)
        case explain(ExplainArguments)
        /// With `page`, a page with the table and its answers is written to that file. With `why`, each key is printed
        /// with its place. `traffic` are logs whose responses are counted; `-` is standard input.
        case routes(host: String?, page: String? = nil, why: Bool = false, traffic: [String] = [])
        /// Paths of manifests, layered over the manifests of the common options and over each other in order; `-` is
        /// standard input.
        case check([String], isStrict: Bool)
        case manifest
        /// `before` and `after` are each the path of a manifest, `-` or `built-in`.
        case diff(before: String, after: String, traffic: [String] = [])
        case test(TestArguments)
        case initialise(file: String)
        case schema
        case completions(Shell)
        case manual
        /// With a port, the server of the demo listens on this port until it is stopped; 0 means any free port. With
        /// `watches`, the command continues after the table is printed, and prints the changed rows after each change
        /// of the manifests.
        case demo(port: UInt16?, watches: Bool = false)
        /// Help for one command, or for all commands.
        case help(Name?)
        case version
    }

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
            action = .help(words.dropFirst().first.flatMap(Name.init))
            return
        case "--version":
            action = .version
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
            guard !ForeignWords.methods.contains(method) else {
                throw UsageError(
                    "unknown command '\(first)'; 'patchbay get -X \(method) URL' sends a request of this method")
            }
            let nearest = Spelling.nearest(to: first, in: Name.allCases.map(\.rawValue))
            let hint = nearest.map { "did you mean \($0)" } ?? "the commands are \(Self.names)"
            throw UsageError(
                "unknown command '\(Redaction.masked(first))'; \(hint); 'patchbay get' asks a host of this name")
        }
        let scanned = try ScannedWords(isURL ? words[...] : words.dropFirst(), for: name)
        guard !scanned.has(.printsHelp) else {
            action = .help(name)
            return
        }
        options = try CommonOptions(scanned)
        action = try Action(name, scanned, options.manifests)
    }

    /// Whether words that begin with no command are those of `get`: a URL, or options before a URL. The value of an
    /// option is no command.
    private static func isGet(_ words: [String]) -> Bool {
        guard let first = words.first, first.hasPrefix("-") else { return words.first.map(TypedURL.isLikely) ?? false }
        return ScannedWords.operand(in: words, for: .get).map { Name(rawValue: $0) == nil } ?? true
    }

    private static let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
}

extension Command.Action {
    /// - Parameter manifests: those of `--manifest`.
    fileprivate init(_ name: Command.Name, _ words: ScannedWords, _ manifests: [String]) throws(UsageError) {
        let operands = words.operands
        let traffic: [String] = try words.all(.traffic)
        func readsInputOnce() throws(UsageError) {
            guard (manifests + operands + traffic).count(where: { $0 == "-" }) <= 1 else {
                throw UsageError("- is given twice; standard input can be read once")
            }
        }
        if name.operands.isEmpty { try words.noOperands() }
        switch name {
        case .get: self = .get(try GetArguments(words))
        case .decode: self = .decode(try DecodeArguments(words))
        case .explain: self = .explain(try ExplainArguments(words))
        case .routes:
            self = try .routes(
                host: words.one(.host), page: words.one(.html), why: words.has(.why), traffic: traffic)
            try readsInputOnce()
            try words.notBoth(.traffic, .html, "a page has no counts")
            try words.notBoth(.traffic, .why, "the keys of an entry have no counts")
            try words.notBoth(.host, .html, "a page has every host")
            try words.notBoth(.why, .html, "a page has no places of keys")
        case .check:
            try readsInputOnce()
            self = .check(operands, isStrict: words.has(.strict))
        case .manifest: self = .manifest
        case .diff:
            try words.noOperands(after: 2)
            guard operands.count == 2 else { throw UsageError("two tables are needed: a manifest each, or built-in") }
            try readsInputOnce()
            self = .diff(before: operands[0], after: operands[1], traffic: traffic)
        case .test: self = .test(try TestArguments(words))
        case .initialise:
            try words.noOperands(after: 1)
            self = .initialise(file: operands.first ?? ManifestChoice.usual)
            guard operands != ["-"] else {
                throw UsageError("'-' is no file that could be written; 'patchbay init' writes \(ManifestChoice.usual)")
            }
        case .schema: self = .schema
        case .completions:
            let name = try words.operand("the shell")
            guard let shell = Shell(rawValue: name) else {
                throw UsageError("'\(Redaction.masked(name))' has no completions; write bash, zsh or fish")
            }
            self = .completions(shell)
        case .manual: self = .manual
        case .demo:
            self = try .demo(port: words.one(.serve), watches: words.has(.watch))
            try words.notBoth(.serve, .watch, "one only answers, the other only asks")
        }
    }
}

struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
