extension Command.Name {
    var options: [CommandOption] {
        switch self {
        case .get: GetArguments.options
        case .decode: DecodeArguments.options
        case .explain: ExplainArguments.options
        case .routes:
            [
                .factory, CommandOption("--host", takes: "HOST", help: "the table for this host"),
                CommandOption(
                    "--html", takes: "FILE",
                    help:
                        "write one page that shows the table, and which entry takes a response or writes a body (- standard output)"
                ),
            ]
        case .check: CheckArguments.options
        case .test: TestArguments.options
        case .manifest, .diff: [.factory]
        case .initialise, .schema: []
        case .demo:
            [
                CommandOption(
                    "--serve", takes: "PORT",
                    help: "only answer, at this port of 127.0.0.1 (0: any that is free), until interrupted"),
                CommandOption(
                    "--watch",
                    help: "go on when the table is printed, and print what each change of the manifests changes in it"),
            ]
        }
    }

    /// The options of this command and the common options. An option of the command hides a common option with the same
    /// name.
    var allOptions: [CommandOption] {
        options + CommandOption.common.filter { option in !options.contains { $0.name == option.name } }
    }

    var operands: String {
        switch self {
        case .get: "URL"
        case .decode: "FILE|-"
        case .check: "[MANIFEST…|-]"
        case .diff: "MANIFEST|built-in MANIFEST|built-in"
        case .test: "[FILE…]"
        case .initialise: "[FILE]"
        case .explain, .routes, .manifest, .schema, .demo: ""
        }
    }

    var summary: String {
        switch self {
        case .get: "sends a request, serializes the response, prints the value"
        case .decode: "serializes bytes at hand as if they were a response"
        case .explain: "prints which entry would take a response, or write a body, and why each one before it would not"
        case .routes: "prints the table of entries in force, first match first"
        case .check: "validates and lints manifests, over the built-in table, a later one over the earlier ones"
        case .manifest: "prints the manifest in force, which is the whole table, as a file to start from"
        case .diff: "prints what two tables answer differently, with a response or a request for each change"
        case .test: "asks the table about the cases of files, and says which are answered otherwise"
        case .initialise: "writes a manifest to begin with (default: ./Plugins.json) and the schema for an editor"
        case .schema: "prints the JSON Schema of manifests"
        case .demo: "starts a server on this machine, fetches every format from it, prints the table"
        }
    }
}

extension Command {
    static func help(for name: Name?) -> String {
        guard let name else { return overview }
        let usage = ["patchbay", name.rawValue, "[options]", name.operands].filter { !$0.isEmpty }
        return """
            \(usage.joined(separator: " "))

            \(name.summary.prefix(1).uppercased())\(name.summary.dropFirst()).

            \(lines(name.allOptions.map { ($0.usage, $0.help) }))

            """
    }

    private static var overview: String {
        """
        patchbay COMMAND [options]

        Sends HTTP requests and turns each response into a value with the serializer that the manifest chose for it.

        \(lines(Name.allCases.map { ($0.rawValue + " " + $0.operands, $0.summary) }))

        patchbay COMMAND --help prints the options of a command, patchbay --version the version.

        Exit codes: 0 done, 1 tables that differ or cases that failed, 2 usage, bad URL or header, 3 manifest, 4 transport, deadline or refused redirect,
        5 status not acceptable, 6 over a limit, no entry or serialization, 7 file, 130 interrupted. A body that cannot be
        serialized is printed as it came.

        """
    }

    private static func lines(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}

/// One option of a command: its names, its value, and its help.
struct CommandOption: Sendable {
    /// The spellings, the long spelling first if there is one. The parsed value is stored under the first spelling.
    let names: [String]
    /// The placeholder of the value in help; nil for a flag.
    let placeholder: String?
    let help: String

    init(_ names: String..., takes placeholder: String? = nil, help: String) {
        self.names = names
        self.placeholder = placeholder
        self.help = help
    }

    var name: String { names.first ?? "" }

    /// `-H, --header NAME:VALUE`.
    var usage: String {
        names.reversed().joined(separator: ", ") + (placeholder.map { " " + $0 } ?? "")
    }
}

extension CommandOption {
    /// An option of commands that print a body.
    static let raw = CommandOption(
        "--raw", help: "write the bytes of the body, whatever they are and however many, and no value")

    /// An option of commands that look up entries in a table without running a serializer.
    static let factory = CommandOption(
        "--factory", takes: "NAME", help: "a factory of your own, whose options are not judged; repeatable")

    /// The options of every command.
    static let common = [
        CommandOption(
            "--manifest", takes: "FILE",
            help:
                "lies over the built-in table, or is all of it where it says \"inherit\": false; repeatable, a later one over the "
                + "earlier (default: ./Plugins.json, if it is there)"),
        CommandOption("--bare", help: "start from nothing instead of the built-in table"),
        CommandOption("--format", takes: "text|json", help: "what to print on standard output (default: text)"),
        CommandOption("--explain", help: "print the decision, with every entry asked, on standard error"),
        CommandOption("--help", "-h", help: "print this help"),
    ]
}
