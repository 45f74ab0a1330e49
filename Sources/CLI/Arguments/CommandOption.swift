/// One option of a command: how it is written, what it takes, and what help says of it.
struct CommandOption: Sendable {
    /// The spellings, the long one first where there is one; the first is the name that the parsed value is filed under.
    let names: [String]
    /// What stands for the value in help; nil for a flag.
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
    /// An option of the commands that have a body to print.
    static let raw = CommandOption(
        "--raw", help: "write the bytes of the body, whatever they are and however many, and no value")

    /// An option of the commands that ask a table, and run no serializer.
    static let factory = CommandOption(
        "--factory", takes: "NAME", help: "a factory of your own, whose options are not judged; repeatable")

    /// The options that every command takes.
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
