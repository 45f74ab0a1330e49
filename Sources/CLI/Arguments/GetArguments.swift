/// What `get` is told: the request to send and where its body goes.
struct GetArguments: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        /// The bytes of the text, or with a leading `@` those of a file (`@-` is standard input).
        case data(String)
        case json(String)
        case form([FormPair])
    }

    struct FormPair: Equatable, Sendable {
        let name: String
        let value: String
    }

    struct HeaderLine: Equatable, Sendable {
        let name: String
        let value: String
    }

    var url: String
    /// `-X`, else POST where there is a body and GET where there is none.
    var method: String
    var headers: [HeaderLine] = []
    var content: Content?
    var output: String?
    /// Whether the bytes of the body are written and no value.
    var isRaw = false
    /// Whether elements are written as they arrive, and not one value.
    var isStream = false
    var followsRedirects = true
    var timeout: Duration?

    static let options = [
        CommandOption("--request", "-X", takes: "METHOD", help: "the method (default: GET, with a body POST)"),
        CommandOption("--header", "-H", takes: "'NAME: VALUE'", help: "a header field of the request; repeatable"),
        CommandOption(
            "--data", "-d", takes: "TEXT|@FILE", help: "the body, as it is or from a file (@- standard input)"),
        CommandOption("--json", takes: "TEXT", help: "the body, a JSON text"),
        CommandOption("--form", takes: "NAME=VALUE", help: "a field of a form body; repeatable"),
        CommandOption(
            "--output", "-o", takes: "FILE",
            help: "write the bytes of the body to a file, not its value to standard output"),
        .raw,
        CommandOption(
            "--stream",
            help:
                "print the elements of the body as they arrive, with --format json the value of each on a line; for as long as "
                + "it takes, unless --timeout says otherwise"),
        CommandOption("--location", "-L", help: "follow redirects (the default)"),
        CommandOption("--no-redirects", help: "do not follow redirects"),
        CommandOption("--timeout", takes: "SECONDS", help: "the time that all of it may take (default: 60)"),
    ]

    init(_ words: ScannedWords) throws(UsageError) {
        url = try words.operand("the URL")
        for line in words.all("--header") { headers.append(try HeaderLine(line)) }
        content = try Self.content(words)
        method = try words.one("--request") ?? (content == nil ? "GET" : "POST")
        output = try words.one("--output")
        isRaw = words.has(CommandOption.raw.name)
        isStream = words.has("--stream")
        guard !isStream || output == nil && !isRaw else {
            throw UsageError(
                "--stream prints elements, and \(isRaw ? CommandOption.raw.name : "--output") writes bytes")
        }
        followsRedirects =
            words.occurrences.last { ["--location", "--no-redirects"].contains($0.name) }?.name != "--no-redirects"
        if let text = try words.one("--timeout") { timeout = try Self.seconds(text) }
    }

    private static func content(_ words: ScannedWords) throws(UsageError) -> Content? {
        let kinds = ["--data", "--json", "--form"].filter(words.has)
        guard kinds.count <= 1 else {
            throw UsageError("\(kinds.joined(separator: " and ")) are both given; a request has one body")
        }
        if let text = try words.one("--data") { return .data(text) }
        if let text = try words.one("--json") { return .json(text) }
        var pairs: [FormPair] = []
        for field in words.all("--form") {
            guard let equals = field.firstIndex(of: "=") else {
                throw UsageError("--form needs NAME=VALUE, and field \(pairs.count + 1) has no '='")
            }
            pairs.append(FormPair(name: String(field[..<equals]), value: String(field[field.index(after: equals)...])))
        }
        return pairs.isEmpty ? nil : .form(pairs)
    }

    private static func seconds(_ text: String) throws(UsageError) -> Duration {
        // A year is beyond any use, and far from the bounds of Duration.
        guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
            throw UsageError("--timeout: '\(text)' is not a number of seconds above 0")
        }
        return .seconds(seconds)
    }
}

extension GetArguments.HeaderLine {
    /// Reads `Name: value`. The text is never shown: it may hold a credential.
    init(_ line: String) throws(UsageError) {
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
            throw UsageError("--header needs 'NAME: VALUE', and one has no name before a colon")
        }
        name = String(line[..<colon])
        var value = line[line.index(after: colon)...]
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        self.value = String(value)
    }
}
