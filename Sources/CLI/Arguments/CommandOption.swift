/// One option of a command: its names, its value, and its help. Help, completions and the manual page are made of these.
struct CommandOption: Sendable {
    /// The heading in help under which the option stands.
    enum Group: String, CaseIterable, Sendable {
        case request = "Request"
        case connection = "Connection"
        case output = "Output"
        case table = "Table"
    }

    /// What a shell offers as the value of an option, or as an operand.
    struct Values: Equatable, Sendable {
        enum Files: Sendable {
            case none, any
            /// Files after an `@`.
            case afterAt
        }

        let words: [String]
        let files: Files

        var isEmpty: Bool { words.isEmpty && files == .none }

        /// Read from the placeholder: `FILE` and `MANIFEST` are files, `@FILE` a file after an `@`, and lower-case
        /// alternatives as in `text|json` are words.
        init(_ placeholder: String) {
            let alternatives = placeholder.split { "|[] ".contains($0) }
            words = alternatives.filter { $0.contains(where: \.isLetter) && $0 == $0.lowercased() }.map(String.init)
                .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            let takesFile = placeholder.contains("FILE") || placeholder.contains("MANIFEST")
            files = placeholder.contains("@FILE") ? .afterAt : takesFile ? .any : .none
        }
    }

    /// The spellings, the long spelling first if there is one. The parsed value is stored under the first spelling.
    let names: [String]
    /// The placeholder of the value in help; nil for a flag.
    let placeholder: String?
    let group: Group
    let help: String

    init(_ names: String..., takes placeholder: String? = nil, in group: Group = .output, help: String) {
        self.names = names
        self.placeholder = placeholder
        self.group = group
        self.help = help
    }

    var name: String { names.first ?? "" }

    /// `-H, --header NAME:VALUE`.
    var usage: String {
        names.reversed().joined(separator: ", ") + (placeholder.map { " " + $0 } ?? "")
    }

    /// What a shell offers as the value; nil for a flag.
    var values: Values? { placeholder.map(Values.init) }
}

extension CommandOption {
    /// An option of commands that print a body.
    static let raw = CommandOption(
        "--raw", help: "write the bytes of the body, whatever they are and however many, and no value")

    /// An option of commands that look up entries in a table.
    static let factory = CommandOption(
        "--factory", takes: "NAME", in: .table,
        help: "a factory of your program, which this command lacks: its options are not judged; repeatable")

    /// The options of every command.
    static let common = [
        CommandOption(
            "--manifest", takes: "FILE", in: .table,
            help:
                "lies over the built-in table, or is all of it where it says \"inherit\": false; repeatable, a later one over the "
                + "earlier (default: ./Plugins.json, if it is a manifest)"),
        CommandOption("--bare", in: .table, help: "start from nothing instead of the built-in table"),
        CommandOption("--format", takes: "text|json", help: "what to print on standard output (default: text)"),
        CommandOption("--explain", in: .table, help: "print the decision, with every entry asked, on standard error"),
        CommandOption(
            "--color", takes: "auto|always|never",
            help: "colours (default: auto, which is on a terminal, unless NO_COLOR is set)"),
        CommandOption("--help", "-h", help: "print this help"),
    ]
}
