import Patchbay
import PatchbayPlatform

/// `get`: sends a request and prints the value of its response, or writes the bytes to a file.
struct GetCommand: Sendable {
    private let request: SessionRequest
    private let registry: SerializerRegistry
    private let output: String?
    private let isRaw: Bool
    private let isStream: Bool
    private let printer: Printer

    /// Reads the files of the request: the manifests, and the body.
    init(_ arguments: GetArguments, _ registry: SerializerRegistry, _ printer: Printer) throws(CommandFailure) {
        var request = SessionRequest(
            arguments.url, method: arguments.method, content: try Self.content(arguments.content))
        for line in arguments.headers { request.headers.append(line.value, for: line.name) }
        if !arguments.followsRedirects { request.redirects = .doNotFollow }
        if let timeout = arguments.timeout {
            request.totalTimeout = timeout
            // The idle timeout stays 60 s, unless the timeout of the call is longer.
            if timeout > .seconds(60) { request.idleTimeout = timeout }
        }
        self.request = request
        self.registry = registry
        self.printer = printer
        output = arguments.output
        isRaw = arguments.isRaw
        isStream = arguments.isStream
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let manager = SessionManager(registry: registry)
        if isStream { return try await stream(manager) }
        if let output { return try await save(manager, to: output) }
        return isRaw ? try await copy(manager) : try await print(manager)
    }

    private func print(_ manager: SessionManager) async throws(CommandFailure) -> ExitCode {
        let reply: Reply<any Sendable>
        do {
            reply = try await manager.send(request)
        } catch {
            return try report(error)
        }
        printer.explain(reply.decision)
        try printer.print(Report(reply), reply.value)
        return .done
    }

    private func stream(_ manager: SessionManager) async throws(CommandFailure) -> ExitCode {
        let stream: ResponseStream<any Sendable>
        do {
            stream = try await manager.stream(request)
        } catch {
            return try report(error)
        }
        printer.explain(stream.decision)
        var elements = stream.makeAsyncIterator()
        while true {
            let element: (any Sendable)?
            do {
                element = try await elements.next()
            } catch {
                return try report(error)
            }
            guard let element else { return .done }
            try printer.print(element: element)
        }
    }

    /// Saves the bytes of the body to a file, whatever an entry would make of them.
    private func save(_ manager: SessionManager, to output: String) async throws(CommandFailure) -> ExitCode {
        let reply: Reply<URL>
        do {
            let file = DownloadDestination.file(URL(filePath: output)).replacingFile()
            reply = try await manager.download(request, to: file)
        } catch {
            return try report(error)
        }
        printer.explain(reply.decision)
        if printer.format == .json { try printer.print(Report(saved: reply).json) }
        return .done
    }

    /// Writes the bytes by way of a file, because they can be more than the memory. Entries and limits of the table
    /// only apply if the status is unacceptable.
    private func copy(_ manager: SessionManager) async throws(CommandFailure) -> ExitCode {
        var request = request
        request.using = .serializer(RawResponseSerializer())
        let file: URL
        do {
            let reply = try await manager.download(request)
            printer.explain(reply.decision)
            file = reply.value
        } catch {
            return try report(error)
        }
        try printer.console.copy(file.path(percentEncoded: false), removing: true)
        return .done
    }

    private struct RawResponseSerializer: ResponseSerializer {
        func serialize(_ body: ResponseBody, _ head: ResponseHead) -> ResponseBody { body }
    }

    private func report(_ error: SessionError) throws(CommandFailure) -> ExitCode {
        printer.explain(error.failedDecision)
        let body = error.value == nil || isRaw ? error.completeBody : nil
        var report = Report(error)
        if let body { report.show(body) }
        try printer.print(report, body ?? error.value)
        printer.console.complain(error.description)
        let failed = (error.failedDecision?.candidates ?? []).filter { $0.verdict == .failed }
        // The sentence already names a single failed entry.
        for row in failed where failed.count > 1 { printer.console.note("  \(row.entry): \(row.reason)") }
        if let failure = error.bodyFailure as? SessionError { printer.console.note("  its body: \(failure.reason)") }
        return ExitCode(error.code)
    }

    private static func content(_ content: GetArguments.Content?) throws(CommandFailure) -> RequestContent? {
        switch content {
        case nil: return nil
        case .form(let pairs): return .value(FormFields(pairs.map { (name: $0.name, value: $0.value) }), in: .form)
        case .json(let text):
            do {
                _ = try JSON(parsing: text)
            } catch {
                throw CommandFailure(.usage, "--json is not JSON: \(error)")
            }
            return .data(Data(text.utf8), type: .json)
        case .data(let text):
            guard text.hasPrefix("@") else { return .data(Data(text.utf8)) }
            return .data(Data(try InputFile.read(String(text.dropFirst()), limit: .max)))
        }
    }
}

extension SessionError {
    /// The complete body of an error, if the status was not acceptable or the registry could not serialize the body;
    /// otherwise nil.
    fileprivate var completeBody: ResponseBody? {
        let end = code == .status ? bodyFailure.map { ($0 as? SessionError)?.code } : .some(code)
        guard let end else { return body }
        let kept: Set<Code> = [
            .noReader, .unknownEntry, .missingContentType, .invalidContentType, .emptyBody, .serialization,
        ]
        return end.map(kept.contains) == true ? body : nil
    }
}

struct GetArguments: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        /// The bytes of the text, or of a file after a leading `@` (`@-` is standard input).
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
    /// The method of `-X`. The default is POST with a body and GET without a body.
    var method: String
    var headers: [HeaderLine] = []
    var content: Content?
    var output: String?
    var isRaw = false
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
        CommandOption(
            "--timeout", takes: "SECONDS",
            help: "the time that all of it may take (default: 60; none with --output, --raw and --stream)"),
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
        // A year is long enough, and far from the bounds of Duration.
        guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
            throw UsageError("--timeout: '\(text)' is not a number of seconds above 0")
        }
        return .seconds(seconds)
    }
}

extension GetArguments.HeaderLine {
    /// Reads `Name: value`. Errors never show the text, because it can contain a credential.
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
