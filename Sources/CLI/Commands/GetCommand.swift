import Patchbay

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `get`: sends a request and prints the value of its response, or writes the bytes to a file.
struct GetCommand: Sendable {
    private let request: HTTPRequest
    private let registry: SerializerRegistry
    private let output: String?
    private let printer: Printer

    /// Reads what the request needs: the manifests, and the file of its body.
    init(_ arguments: GetArguments, _ registry: SerializerRegistry, _ printer: Printer) throws(CommandFailure) {
        var request = HTTPRequest(arguments.method, arguments.url, content: try Self.content(arguments.content))
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
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let manager = SessionManager(registry: registry)
        guard let output else { return try await print(manager) }
        return try await save(manager, to: output)
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

    private func report(_ error: SessionError) throws(CommandFailure) -> ExitCode {
        printer.explain(error.decision)
        try printer.print(Report(error), error.value)
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
