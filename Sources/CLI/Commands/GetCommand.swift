import Patchbay
import PatchbayPlatform

/// `get`: sends a request and prints the value or the elements of its response, or writes the bytes.
struct GetCommand: Sendable {
    private let arguments: GetArguments
    private let manager: SessionManager
    private let cookies: CookieFile?
    private var printer: Printer
    private let transcript: Transcript?
    /// The entries that use a factory of the user's program, and the name of the factory.
    private let declared: [String: String]

    /// Reads the files of the authorities. The call reads the cookies when it begins, and the body while it is sent.
    /// - Parameter factories: the factories that the command lacks: their entries decline each response.
    init(
        _ arguments: GetArguments, _ registry: SerializerRegistry, declared factories: [String], _ printer: Printer
    ) throws(CommandFailure) {
        self.arguments = arguments
        self.printer = printer
        self.printer.console.isSilent = arguments.isSilent
        if case .file(let path)? = arguments.output, !OutputFile.isDevice(path),
            let obstacle = OutputFile.obstacle(path)
        {
            throw CommandFailure(.file, "\(path) cannot be written: \(obstacle)")
        }
        var configuration = try arguments.connection.configuration()
        cookies = try arguments.connection.cookieFile.map { path throws(CommandFailure) in try CookieFile(path) }
        configuration.cookies = cookies?.jar
        configuration.cache = try arguments.responseCache()
        // A field of the user's own that looks like a credential stays at its origin, like Authorization.
        configuration.credentialFields += arguments.headers.map(\.name).filter(Secrets.isSecret)
        if let retries = arguments.retries { configuration.interceptors = [RetryPolicy(limit: retries)] }
        if let cookies { configuration.interceptors.append(cookies) }
        transcript = arguments.isVerbose ? Transcript(printer.console, showsSecrets: arguments.showsSecrets) : nil
        let url = URL(string: arguments.url.text)
        let host = url.flatMap { CanonicalHost(url: $0) }
        let asksTable = arguments.entry != nil || !factories.isEmpty
        let routes = asksTable ? registry.routes(host: nil) + registry.routes(host: host, at: url) : []
        if let entry = arguments.entry, !routes.contains(where: { $0.id == entry }) {
            let ids = routes.map(\.id)
            let hint = Spelling.nearest(to: entry, in: ids).map { "did you mean \($0)?" }
            throw CommandFailure(
                .usage,
                "--entry: the table has no entry '\(entry)'; \(hint ?? "'patchbay routes' lists the entries")")
        }
        declared = Dictionary(
            routes.filter { factories.contains($0.factory) }.map { ($0.id, $0.factory) }, uniquingKeysWith: { $1 })
        guard let transcript else {
            manager = SessionManager(registry: registry, configuration: configuration)
            return
        }
        configuration.observers = [transcript]
        manager = SessionManager(
            registry: registry, transport: ToldTransport(transcript), configuration: configuration)
    }

    func run() async throws -> ExitCode {
        var warnings: [String] = []
        if arguments.connection.isInsecure {
            warnings.append("--insecure: no certificate is checked, so anybody on the way can read and change all")
        }
        #if os(Linux)
            // The transcript has them as notes of the call.
            if transcript == nil, arguments.connection.proxy == nil {
                warnings += ProxyVariables.notes(isSecure: arguments.url.text.hasPrefix("https:"))
            }
        #endif
        if arguments.content == nil, ["PATCH", "POST", "PUT"].contains(arguments.method), InputFile.isWaiting {
            warnings.append("no body is sent; -d @- sends standard input")
        }
        for warning in warnings where !arguments.isSilent { printer.console.note("warning: \(warning)") }
        if arguments.url.isCompleted { printer.console.remark("asking " + Secrets.masked(url: arguments.url.text)) }
        var request = try await arguments.request()
        request.excluding = Set(declared.keys)
        let progress = ProgressLine(printer.console, isOn: !arguments.isSilent, arguments)
        progress.watch(&request)
        let result: Result<ExitCode, any Error>
        do {
            result = .success(try await send(request, progress))
        } catch {
            result = .failure(error)
        }
        progress.end()
        // Cookies that arrived are kept, even if their response could not be printed.
        try cookies?.save()
        return try result.get()
    }

    private func send(_ request: SessionRequest, _ progress: ProgressLine) async throws -> ExitCode {
        var command = self
        do {
            switch arguments.output {
            case .standardOutput: return try await copy(request, progress)
            case .file(let path) where OutputFile.isDevice(path):
                command.printer = try printer.writing(to: path)
                return try await command.copy(request, progress)
            case .file(let path):
                return try await save(request, progress, as: DownloadFile(path: path, isResumable: arguments.resumes))
            case .suggestedFile:
                return try await save(request, progress, as: DownloadFile(path: nil, isResumable: false))
            case nil where arguments.isStream: return try await print(manager.stream(request), progress)
            case nil: return try await print(request, progress)
            }
        } catch let error as SessionError {
            return try await command.report(error, progress)
        }
    }

    /// Prints the value, or the elements where the response has only those.
    private func print(_ request: SessionRequest, _ progress: ProgressLine) async throws -> ExitCode {
        let (elements, reply) = try await manager.elementsOrReply(to: request)
        if let elements { return try await print(elements, progress) }
        guard let reply else { return .done }
        await transcript?.finished()
        progress.end()
        printer.explain(reply.decision)
        tellDeclared(reply.head)
        try show(reply.head, reply.timeline.exchange.httpVersion)
        try printer.print(Report(reply, showsSecrets: arguments.showsSecrets), reply.value)
        return .done
    }

    private func print(_ stream: ResponseStream<any Sendable>, _ progress: ProgressLine) async throws -> ExitCode {
        await transcript?.answered()
        progress.end()
        printer.explain(stream.decision)
        tellDeclared(stream.head)
        try show(stream.head, nil)
        var received = 0
        do {
            for try await element in stream {
                // The limit of the request is for each element; pieces of bytes are one body.
                if let piece = element as? Data { try await count(piece, &received, of: stream.task) }
                try printer.print(element: element)
            }
        } catch let error as SessionError {
            return try await report(error, progress, afterHead: true)
        }
        await transcript?.finished()
        return .done
    }

    /// Saves the bytes of the body to a file, whatever an entry would make of them.
    private func save(
        _ request: SessionRequest, _ progress: ProgressLine, as file: DownloadFile
    ) async throws -> ExitCode {
        let reply: Reply<URL>
        do throws(SessionError) {
            reply = try await manager.download(request, to: try file.destination(printer.console))
        } catch {
            progress.end()
            file.keep(error, printer.console)
            throw error
        }
        file.forget()
        await transcript?.finished()
        progress.end()
        printer.explain(reply.decision)
        try show(reply.head, reply.timeline.exchange.httpVersion)
        if printer.format == .json {
            try printer.print(Report(saved: reply, showsSecrets: arguments.showsSecrets).json)
        }
        if printer.console.isErrorTerminal {
            printer.console.remark(file.summary(of: reply))
        } else if arguments.output == .suggestedFile, !arguments.isSilent {
            printer.console.note(reply.value.lastPathComponent)
        }
        return .done
    }

    /// Writes the bytes to standard output as they come. No entry is asked, and no limit of the table applies, unless
    /// the status is unacceptable.
    private func copy(_ request: SessionRequest, _ progress: ProgressLine) async throws -> ExitCode {
        let stream = try await manager.stream(request, of: Data.self)
        await transcript?.answered()
        if !printer.console.isOutOfSight { progress.end() }
        printer.explain(stream.decision)
        try show(stream.head, nil)
        var copy = Console.RawCopy(printer.console)
        var received = 0
        do {
            for try await piece in stream {
                try await count(piece, &received, of: stream.task)
                guard try copy.take(piece) else {
                    stream.task.cancel()
                    break
                }
            }
        } catch let error as SessionError {
            return try await report(error, progress, afterHead: true)
        }
        try copy.finish()
        await transcript?.finished()
        progress.end()
        return .done
    }

    /// Counts a piece of a body, and ends the call if the body is larger than `--max-size`.
    private func count(_ piece: Data, _ received: inout Int, of task: SessionTask) async throws(CommandFailure) {
        received += piece.count
        guard let most = arguments.maximumBytes, received > most else { return }
        task.cancel()
        await transcript?.finished()
        let limit = "\(ByteCount(most)), the limit of --max-size"
        throw CommandFailure(.serialization, "the body is larger than \(limit)")
    }

    /// Says which entry would read the response in the user's program, if this command lacks its factory.
    private func tellDeclared(_ head: ResponseHead?) {
        guard !declared.isEmpty, let head else { return }
        let there = manager.registry.decision(for: head, producing: .anything, override: .none)
        guard let entry = there.entryID, let factory = declared[entry] else { return }
        printer.console.note(
            "the entry \(entry) would read this; it declined, because its factory \(factory) is in your program only")
    }

    /// Prints the head of the response, if the user asked for it.
    private func show(_ head: ResponseHead?, _ version: String?) throws(CommandFailure) {
        let isAlone = arguments.method == "HEAD"
        guard let head, arguments.showsHead || isAlone && printer.format == .text else { return }
        try printer.print(head, version, isAlone: isAlone)
    }

    /// - Parameter isAfterHead: whether the head, and perhaps elements, were printed already.
    private func report(
        _ error: SessionError, _ progress: ProgressLine, afterHead isAfterHead: Bool = false
    ) async throws(CommandFailure) -> ExitCode {
        await transcript?.finished()
        progress.end()
        try cookies?.check()
        printer.explain(error.failedDecision)
        tellDeclared(error.head)
        if !isAfterHead {
            let isRaw = arguments.output == .standardOutput
            let body = error.value == nil || isRaw ? error.completeBody : nil
            var report = Report(error, showsSecrets: arguments.showsSecrets)
            if let body { report.show(body) }
            try show(error.head, error.timeline?.exchange.httpVersion)
            try printer.print(report, body ?? error.value)
        }
        let status = error.head?.status ?? 0
        printer.console.complain(
            error.description.replacing("the status is \(status),", with: "the status is \(StatusText.of(status)),")
                .replacing("replacingFile() replaces it", with: "-o FILE replaces it"))
        let failed = (error.failedDecision?.candidates ?? []).filter { $0.verdict == .failed }
        // The sentence already names a single failed entry.
        for row in failed where failed.count > 1 { printer.console.note("  \(row.entry): \(row.reason)") }
        if let failure = error.bodyFailure as? SessionError { printer.console.note("  its body: \(failure.reason)") }
        if let hint = error.hint(arguments) { printer.console.note("  " + hint) }
        return ExitCode(error.code)
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
