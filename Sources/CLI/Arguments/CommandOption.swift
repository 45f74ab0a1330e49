/// One option of a command: its names, its value, and its help. Help, completions and the manual page are made of these.
struct CommandOption: Sendable {
    /// The heading in help under which the option stands.
    enum Group: String, CaseIterable, Sendable {
        case request = "Request"
        case connection = "Connection"
        case output = "Output"
        case table = "Table"
    }

    /// The words that a shell offers as the value of an option.
    enum Values: Equatable, Sendable {
        case none, files, folders
        case words([String])
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

    /// Read from the placeholder: `FILE` and `@FILE` are files, `text|json` are words.
    var values: Values {
        guard let placeholder else { return .none }
        if placeholder.contains("FILE") { return .files }
        if placeholder == "FOLDER" { return .folders }
        let words = placeholder.split(separator: "|").map(String.init)
        return words.count > 1 && words.allSatisfy { $0 == $0.lowercased() } ? .words(words) : .none
    }
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
