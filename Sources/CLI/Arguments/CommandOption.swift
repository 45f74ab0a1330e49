import Patchbay

/// One option of a command: its names, its help, and how its value is read. Help, completions, the manual page and the
/// readers of the words use the same declaration.
struct CommandOption: Sendable {
    /// The heading in help under which the option stands.
    enum Group: String, CaseIterable, Sendable {
        case request = "Request"
        case connection = "Connection"
        case output = "Output"
        case table = "Table"
    }

    /// What a shell offers as the value of an option, or as an operand.
    struct Values: Hashable, Sendable {
        enum Files: Sendable {
            case none, any
            /// Files after an `@`.
            case afterAt
        }

        let words: [String]
        let files: Files

        var isEmpty: Bool { words.isEmpty && files == .none }

        /// Read from the placeholder: `FILE`, `DIR` and `MANIFEST` are files, `@FILE` a file after an `@`, and lower-case
        /// alternatives as in `text|json` are words.
        init(_ placeholder: String) {
            let alternatives = placeholder.split { "|[] ".contains($0) }
            words = alternatives.filter { $0.contains(where: \.isLetter) && $0 == $0.lowercased() }.map(String.init)
                .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            let takesFile = ["FILE", "DIR", "MANIFEST"].contains { placeholder.contains($0) }
            files = placeholder.contains("@FILE") ? .afterAt : takesFile ? .any : .none
        }
    }

    /// The spellings, the long spelling first if there is one. The parsed value is stored under the first spelling.
    let names: [String]
    /// The placeholder of the value in help; nil for a flag.
    let placeholder: String?
    let group: Group
    private(set) var help: String
    /// The value of a text; nil for a text that is refused.
    let read: @Sendable (String) throws(UsageError) -> (any Sendable)?
    /// What is said of a text that is refused, such as `is not a port`.
    let refusal: String

    init(
        _ names: String..., takes placeholder: String? = nil, in group: Group = .output, help: String,
        read: @escaping @Sendable (String) throws(UsageError) -> (any Sendable)? = { $0 }, or refusal: String = ""
    ) {
        (self.names, self.placeholder, self.group, self.help) = (names, placeholder, group, help)
        (self.read, self.refusal) = (read, refusal)
    }

    /// The option with the help of a command that uses it in its own way.
    func helping(_ help: String) -> CommandOption {
        var option = self
        option.help = help
        return option
    }

    static func number(in range: ClosedRange<Int>) -> @Sendable (String) -> (any Sendable)? {
        { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    var name: String { names.first ?? "" }

    /// `-H, --header NAME:VALUE`.
    var usage: String { names.reversed().joined(separator: ", ") + (placeholder.map { " " + $0 } ?? "") }

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
        help: "a factory of your program, which this command lacks: its options are not judged; repeatable",
        read: { name throws(UsageError) in
            guard SerializerFactories.ofCommands.names.contains(name) else { return name }
            throw UsageError("--factory: Patchbay has a factory '\(name)' already, whose options it judges")
        })

    static let common = [manifest, bare, format, explain, color, printsHelp]

    static let manifest = CommandOption(
        "--manifest", takes: "FILE", in: .table,
        help:
            "lies over the built-in table, or is all of it where it says \"inherit\": false; repeatable, a later one over the "
            + "earlier (default: ./Plugins.json, if it is a manifest)")
    static let bare = CommandOption("--bare", in: .table, help: "start from nothing instead of the built-in table")
    static let format = CommandOption(
        "--format", takes: "text|json", help: "what to print on standard output (default: text)",
        read: { CommonOptions.Format(rawValue: $0) }, or: "is not a format; write text or json")
    static let explain = CommandOption(
        "--explain", in: .table, help: "print the decision, with every entry asked, on standard error")
    static let color = CommandOption(
        "--color", takes: "auto|always|never",
        help: "colours (default: auto, which is on a terminal, unless NO_COLOR is set)",
        read: { CommonOptions.Colour(rawValue: $0) }, or: "is none; write auto, always or never")
    static let printsHelp = CommandOption("--help", "-h", help: "print this help")
}
