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

    /// Reads what the request needs: the manifests, and the file of its body.
    init(_ arguments: GetArguments, _ registry: SerializerRegistry, _ printer: Printer) throws(CommandFailure) {
        var request = SessionRequest(arguments.method, arguments.url, content: try Self.content(arguments.content))
        for line in arguments.headers { request.headers.append(line.value, for: line.name) }
        request.followsRedirects = arguments.followsRedirects
        if let timeout = arguments.timeout {
            request.totalTimeout = timeout
            // The idle clock keeps its 60 s unless all of it may take longer than that.
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

    /// Whoever asks for a file wants the bytes, whatever an entry would make of them.
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

    /// Writes the bytes by way of a file, because they may be more than there is memory for. No entry and no limit of the table
    /// has a say, unless the status is not acceptable.
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
        printer.explain(error.decision)
        let body = error.value == nil || isRaw ? error.completeBody : nil
        var report = Report(error)
        if let body { report.show(body) }
        try printer.print(report, body ?? error.value)
        printer.console.complain(error.description)
        // One attempt is in the sentence already.
        for attempt in error.attempts where error.attempts.count > 1 { printer.console.note("  \(attempt)") }
        if let failure = error.bodyFailure { printer.console.note("  its body: \(failure)") }
        return ExitCode(error.code)
    }

    private static func content(_ content: GetArguments.Content?) throws(CommandFailure) -> RequestContent? {
        switch content {
        case nil: return nil
        case .form(let pairs): return .form(pairs.map { ($0.name, $0.value) })
        case .json(let text):
            do {
                _ = try JSON(parsing: text)
            } catch {
                throw CommandFailure(.usage, "--json is not JSON: \(error)")
            }
            return .data(Data(text.utf8), type: "application/json")
        case .data(let text):
            guard text.hasPrefix("@") else { return .data(Data(text.utf8)) }
            return .data(Data(try InputFile.read(String(text.dropFirst()), limit: .max)))
        }
    }
}

extension SessionError {
    /// The body that came with the error, where all of it came: that of a status that is not acceptable, or one that the registry
    /// made nothing of.
    fileprivate var completeBody: ResponseBody? {
        let failure = code == .status ? bodyFailure : cause
        guard let failure else { return code == .status ? body : nil }
        guard let failure = failure as? LookupFailure else { return nil }
        return failure.code == .bodyTooLarge || failure.code == .cancelled ? nil : body
    }
}
