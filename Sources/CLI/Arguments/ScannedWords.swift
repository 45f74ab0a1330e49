import Patchbay

/// The words after a command's name, split into options and operands by the options of the command.
struct ScannedWords {
    /// The options, by their first spelling.
    private(set) var occurrences: [(name: String, value: String)] = []
    private(set) var operands: [String] = []

    /// Reads `--name value`, `--name=value`, `-n value`, `-nvalue`, flags and operands. `-iv` is `-i -v`. All words
    /// after `--` are operands. The word `-` is an operand, too.
    init(_ words: some Sequence<String>, for command: Command.Name) throws(UsageError) {
        var fault: UsageError?
        self.init(words, for: command, &fault)
        if let fault { throw fault }
    }

    /// The first operand of words that the command can refuse.
    static func operand(in words: [String], for command: Command.Name) -> String? {
        var fault: UsageError?
        return ScannedWords(words, for: command, &fault).operands.first
    }

    /// Passes over the words that mean nothing.
    /// - Parameter fault: gets the first of them.
    private init(_ words: some Sequence<String>, for command: Command.Name, _ fault: inout UsageError?) {
        let options = command.allOptions
        var rest = Array(words)[...]
        func refuse(_ sentence: String) { fault = fault ?? UsageError(sentence) }
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let (written, attached) = Self.split(word)
            guard let option = options.first(where: { $0.names.contains(written) }) else {
                refuse(Self.unknown(written, of: command, options))
                continue
            }
            guard let placeholder = option.placeholder else {
                switch attached {
                case nil: break
                case _ where written.hasPrefix("--"): refuse("\(written) takes no value")
                case let more?: rest.insert("-" + more, at: rest.startIndex)
                }
                occurrences.append((option.name, ""))
                continue
            }
            guard let value = attached ?? rest.popFirst() else {
                refuse("\(written) needs a value: \(written) \(placeholder)")
                continue
            }
            occurrences.append((option.name, value))
        }
    }

    func has(_ option: CommandOption) -> Bool { occurrences.contains { $0.name == option.name } }

    /// The values of an option, of the type that the option reads.
    func all<Value>(_ option: CommandOption) throws(UsageError) -> [Value] {
        var values: [Value] = []
        for (name, text) in occurrences where name == option.name {
            guard let value = try option.read(text) as? Value else {
                throw UsageError("\(name): '\(text)' \(option.refusal)")
            }
            values.append(value)
        }
        return values
    }

    func one<Value>(_ option: CommandOption) throws(UsageError) -> Value? {
        let count = occurrences.count { $0.name == option.name }
        guard count <= 1 else { throw UsageError("\(option.name) is given \(count) times; once is allowed") }
        let values: [Value] = try all(option)
        return values.first
    }

    func notBoth(_ first: CommandOption, _ second: CommandOption, _ reason: String) throws(UsageError) {
        guard has(first), has(second) else { return }
        throw UsageError("\(first.name) and \(second.name) are both given; \(reason)")
    }

    func operand(_ placeholder: String) throws(UsageError) -> String {
        guard let first = operands.first else { throw UsageError("\(placeholder) is missing") }
        try noOperands(after: 1)
        return first
    }

    func noOperands(after count: Int = 0) throws(UsageError) {
        guard operands.count > count else { return }
        throw UsageError("'\(Redaction.masked(operands[count]))' is one operand too many")
    }

    /// Splits `--name=value` and `-nvalue`. The value can be secret, so errors show only the name.
    private static func split(_ word: String) -> (name: String, value: String?) {
        if word.hasPrefix("--") {
            guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<equals]), String(word[word.index(after: equals)...]))
        }
        guard word.count > 2 else { return (word, nil) }
        return (String(word.prefix(2)), String(word.dropFirst(2)))
    }

    private static func unknown(_ written: String, of command: Command.Name, _ options: [CommandOption]) -> String {
        let foreign = command == .get ? ForeignWords.options[written] : nil
        let nearest = Spelling.nearest(to: written, in: options.flatMap(\.names).filter { $0.hasPrefix("--") })
        let hint = foreign ?? nearest.map { "did you mean \($0)?" }
        // A value that was joined to its option can be secret.
        let joined = options.first { option in
            option.placeholder != nil
                && option.names.contains { name in
                    name.hasPrefix("--") && written.hasPrefix(name) && written.count > name.count + 2
                        && !written.dropFirst(name.count).hasPrefix("-")
                }
        }
        if let joined, foreign == nil {
            return "unknown option \(joined.name)…; a space or = comes before the value"
        }
        return "unknown option \(written); " + (hint.map { $0 + " " } ?? "")
            + "'patchbay \(command.rawValue) --help' lists the options"
    }
}

struct CommonOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// Paths of manifests, each layered over the manifests before it; empty for the default choice.
    var manifests: [String] = []
    /// Whether the first manifest is the whole table. If false, the manifest is layered over the built-in table.
    var isBare = false
    /// The names of the factories that the program using the manifests registers.
    var factories: [String] = []
    var format = Format.text
    var explains = false
    var colour = Colour.auto

    enum Colour: String, Sendable {
        case auto, always, never
    }

    init() {}

    init(_ words: ScannedWords) throws(UsageError) {
        manifests = try words.all(.manifest)
        isBare = words.has(.bare)
        factories = try words.all(.factory)
        explains = words.has(.explain)
        colour = try words.one(.color) ?? .auto
        format = try words.one(.format) ?? .text
        guard format != .json || !words.has(.raw) else {
            throw UsageError("--raw and --format json are both given; the bytes of a body are no document")
        }
    }
}
