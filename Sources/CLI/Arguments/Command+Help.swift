extension Command.Name {
    var options: [CommandOption] {
        switch self {
        case .get: GetArguments.options
        case .decode: DecodeArguments.response + [.raw]
        case .explain:
            DecodeArguments.response + [.factory, .method, .asType, .writes, .body, .elements]
        case .routes: [.factory, .host.helping("the table for this host"), .why, .html, .traffic]
        case .check: [.factory, .strict]
        case .test: [.factory, .casesFile, .failUnder]
        case .manifest: [.factory]
        case .diff:
            [
                .factory,
                .manifest.helping(
                    "lies under both tables, over the built-in table; repeatable, a later one over the earlier; as an operand, "
                        + "built-in then lays nothing over it, and - is standard input"),
                .traffic,
            ]
        case .initialise, .schema, .completions, .manual: []
        case .demo: [.serve, .watch]
        }
    }

    /// The options of this command and the common options. An option of the command hides a common option with the same
    /// name.
    var allOptions: [CommandOption] {
        options + CommandOption.common.filter { option in !options.contains { $0.name == option.name } }
    }

    /// The options of the command itself, for the list of all commands; those of `get` are too many for it.
    fileprivate var taken: String {
        if self == .get { return "; patchbay get --help lists its options" }
        return options.isEmpty ? "" : "; takes " + options.map(\.usage).joined(separator: ", ")
    }

    var operands: String {
        switch self {
        case .get: "URL"
        case .decode: "FILE|-"
        case .check: "[MANIFEST…|-]"
        case .diff: "MANIFEST|built-in MANIFEST|built-in"
        case .test: "[FILE…]"
        case .initialise: "[FILE]"
        case .completions: Shell.allCases.map(\.rawValue).joined(separator: "|")
        case .explain, .routes, .manifest, .schema, .manual, .demo: ""
        }
    }

    /// `patchbay decode [options] FILE|-`.
    var usage: String {
        ["patchbay", self == .get ? "[get]" : rawValue, "[options]", operands].filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    var summary: String {
        switch self {
        case .get: "sends a request, serializes the response, prints the value"
        case .decode: "serializes bytes at hand as if they were a response"
        case .explain: "prints which entry would take a response, or write a body, and why each one before it would not"
        case .routes: "prints the table of entries in force, first match first"
        case .check: "validates and lints manifests, over the built-in table, a later one over the earlier ones"
        case .manifest: "prints the manifest in force, which is the whole table, as a file to start from"
        case .diff:
            "prints what two tables answer differently: each edit, with a response or a request for what it changes"
        case .test: "asks the table about the cases of files, and says which are answered otherwise"
        case .initialise: "writes a manifest to begin with (default: ./Plugins.json) and the schema for an editor"
        case .schema: "prints the JSON Schema of manifests"
        case .completions: "prints the script with which a shell completes the words of this program"
        case .manual: "prints the manual page, for man"
        case .demo: "starts a server on this machine, fetches every format from it, prints the table"
        }
    }
}

extension Command.Name {
    /// Command lines, and their effect.
    var examples: [(words: String, effect: String)] {
        switch self {
        case .get:
            [
                ("patchbay localhost:8080/users", "the value of the response"),
                ("patchbay get -i example.com", "the head, too"),
                ("patchbay get --json '{\"name\": \"Ada\"}' localhost:8080/users", "a POST with JSON"),
                ("patchbay get -F photo=@ada.jpg localhost:8080/photos", "a form with a file"),
                ("patchbay get -o film.mp4 -C example.com/film.mp4", "a file, and after a failure its rest"),
                ("patchbay get --cacert ours.pem https://build.local", "a host with an authority of your own"),
                ("patchbay get --format json localhost:8080/users | jq .fields", "all that is known, as one document"),
            ]
        case .decode: [("patchbay decode answer.json --content-type application/json", "the value of the file")]
        case .explain:
            [
                ("patchbay explain --content-type text/csv", "the entry that reads CSV, and why"),
                ("patchbay explain --write --body '{\"a\": 1}'", "the entry that writes a body, and its bytes"),
            ]
        case .routes:
            [
                ("patchbay routes --host api.example.com", "the table of this host"),
                ("patchbay routes --why", "the file and the line of each key"),
                ("patchbay routes --traffic traffic.log", "how often each entry was used, and the slowest hosts"),
            ]
        case .check: [("patchbay check Plugins.json --strict", "faults and warnings, as failures")]
        case .test:
            [
                ("patchbay test --write cases.json", "writes a file of cases"),
                ("patchbay test cases.json", "asks the table about them"),
            ]
        case .manifest: [("patchbay manifest > all.json", "the table in force as one file")]
        case .diff:
            [
                ("patchbay diff built-in Plugins.json", "what the manifest changes"),
                ("git show HEAD:m.json | patchbay diff - m.json", "what was edited since the last commit"),
                ("patchbay diff old.json new.json --traffic traffic.log", "for how many of the logged responses"),
            ]
        case .initialise: [("patchbay init", "writes ./Plugins.json and its schema")]
        case .schema: [("patchbay schema > Plugins.schema.json", "the schema as a file")]
        case .completions:
            [
                ("source <(patchbay completions bash)", "completion in this bash or zsh"),
                ("patchbay completions fish | source", "completion in this fish"),
            ]
        case .manual: [("patchbay manual > patchbay.1", "the page as a file, which man -l shows")]
        case .demo: [("patchbay demo --serve 8080", "only the server, for other programs")]
        }
    }
}

extension Command {
    static let about =
        "Sends HTTP requests and turns each response into a value with the serializer that the manifest chose for it."

    /// The exit codes, for help and for the manual page.
    static let exitCodes: [(code: ExitCode, meaning: String)] = [
        (.done, "done"), (.different, "tables that differ, or cases that failed"),
        (.usage, "words that mean nothing, a bad URL or header field"),
        (.manifest, "a fault of a manifest, or a manifest that cannot be read"),
        (.transport, "no connection, a timeout, or a refused redirect"), (.status, "a status that is not acceptable"),
        (.serialization, "a body over a limit, without an entry, or that its entry cannot read"),
        (.file, "another file that cannot be read or written, or a fault of a file of cases"),
        (.interrupted, "interrupted"),
    ]

    /// The help for one command, or for all of them, in lines that fit the terminal, or 80 columns.
    static func help(for name: Name?, _ console: Console = Console(isTerminal: false)) -> String {
        let width = min(max(console.width ?? 80, 40), 110)
        let heading: (String) -> String = { console.isColoured ? Colour.bold.around($0) : $0 }
        guard let name else { return overview(width, heading) }
        let groups = CommandOption.Group.allCases.compactMap { group -> String? in
            let options = name.allOptions.filter { $0.group == group }
            guard !options.isEmpty else { return nil }
            return section(group.rawValue, options.map { ($0.usage, $0.help) }, width, heading)
        }
        let examples = name.examples.map { "  " + $0.words + "\n      " + $0.effect }.joined(separator: "\n")
        return
            ([
                name.usage, Words.lines(name.sentence, width: width).joined(separator: "\n"),
            ] + groups + [heading("Examples") + "\n" + examples, codes(width, heading)]).joined(separator: "\n\n")
            + "\n"
    }

    private static func overview(_ width: Int, _ heading: (String) -> String) -> String {
        let every = CommandOption.common.map(\.usage).joined(separator: ", ")
        let more =
            "Every command takes \(every). patchbay COMMAND --help explains the options of a command, patchbay --version prints the version, and that of libcurl."
        return [
            "patchbay URL\npatchbay COMMAND [options]", Words.lines(about, width: width).joined(separator: "\n"),
            section(
                "Examples",
                [
                    ("patchbay localhost:8080/users", "ask a server"),
                    ("patchbay -i --json '{\"name\": \"Ada\"}' localhost:8080/users", "send JSON, and see the head"),
                    ("patchbay -o film.mp4 -C example.com/film.mp4", "save a file, or the rest of it"),
                    ("patchbay get --help", "all options of a request"),
                ], width, heading),
            section(
                "Commands", Name.allCases.map { ($0.rawValue + " " + $0.operands, $0.summary + $0.taken) }, width,
                heading
            ),
            Words.lines(more, width: width).joined(separator: "\n"), codes(width, heading),
        ].joined(separator: "\n\n") + "\n"
    }

    private static func codes(_ width: Int, _ heading: (String) -> String) -> String {
        section("Exit codes", exitCodes.map { ("\($0.code.rawValue)", $0.meaning) }, width, heading)
    }

    /// A heading above rows of a name and a text. A long name has a line of its own.
    private static func section(
        _ title: String, _ rows: [(String, String)], _ width: Int, _ heading: (String) -> String
    ) -> String {
        let longest = rows.map(\.0.count).filter { $0 <= min(26, width / 3) }.max() ?? 0
        let lines = rows.flatMap { name, text -> [String] in
            var lines = Words.lines(text, width: width - longest - 4)
            let indent = String(repeating: " ", count: longest + 4)
            let first = name.count > longest ? [] : ["  " + name.padded(to: longest) + "  " + lines.removeFirst()]
            return (first.isEmpty ? ["  " + name] : first) + lines.map { indent + $0 }
        }
        return ([heading(title)] + lines).joined(separator: "\n")
    }
}
