import Patchbay
import PatchbayPlatform

// From the arguments of `get` to the values of the library: each option is one setting.

extension GetArguments {
    /// The request, whose files were found, and read if they hold JSON or a credential. The last of all, the terminal
    /// asks for a password that is missing.
    func request() async throws(CommandFailure) -> SessionRequest {
        var request = SessionRequest(url.text, method: method)
        if let content { request.content = try await Self.content(content) }
        for line in headers { if let value = line.value { request.headers.append(value, for: line.name) } }
        request.interceptors = fieldRemovals(request)
        if !followsRedirects { request.redirects = .doNotFollow }
        if let timeout {
            request.totalTimeout = timeout
            // The idle timeout stays 60 s, unless the timeout of the call is longer.
            if timeout > .seconds(60) { request.idleTimeout = timeout }
        }
        request.maximumBodyBytes = maximumBytes
        request.using = entry.map { .entry($0) }
        try await authorize(&request)
        return request
    }

    /// The cache in the folder of `--cache`, which is made if it is missing.
    func responseCache() throws(CommandFailure) -> ResponseCache? {
        guard let cache else { return nil }
        let isThere = mkdir(cache, 0o700) == 0 || errno == EEXIST
        guard isThere, access(cache + "/", R_OK | W_OK | X_OK) == 0 else {
            throw CommandFailure(.file, "responses cannot be kept in \(cache): \(SystemError.last)")
        }
        return .folder(.file(at: cache), bytes: 1 << 30)
    }

    /// The interceptor for the fields that the user leaves out, if there are any.
    private func fieldRemovals(_ request: SessionRequest) -> [any RequestInterceptor] {
        let names = headers.filter { $0.value == nil && request.headers[$0.name] == nil }.map(\.name)
            // Without this field, the transport adds its own.
            .filter { $0.lowercased() != "accept-encoding" }
        return names.isEmpty ? [] : [FieldRemoval(names: names)]
    }

    private func authorize(_ request: inout SessionRequest) async throws(CommandFailure) {
        guard var credential = bearer ?? user else { return }
        guard request.headers["Authorization"] == nil else {
            throw CommandFailure(
                .usage, "\(user == nil ? "--bearer" : "--user") and a header Authorization are both given")
        }
        let isWhole = bearer == nil && credential.contains(":")
        if !isWhole, let path = Self.file(credential) {
            credential = try await Interruption.endingAtOnce { () throws(CommandFailure) in
                try InputFile.line(at: path)
            }
        } else if !isWhole, bearer == nil {
            let url = URL(string: url.text)
            let port = url?.port.map { ":\($0)" } ?? ""
            let place = url?.host().map { " for \($0)\(port)" } ?? ""
            credential += ":" + (try await PasswordPrompt.ask("password of \(credential)\(place): "))
        }
        guard bearer == nil else {
            request.headers["Authorization"] = "Bearer \(credential)"
            return
        }
        guard let colon = credential.firstIndex(of: ":") else {
            throw CommandFailure(.file, "the file of --user has no NAME:PASSWORD")
        }
        do throws(SessionError) {
            request.headers["Authorization"] = try HeaderFields.basic(
                user: String(credential[..<colon]), password: String(credential[credential.index(after: colon)...]))
        } catch {
            throw CommandFailure(.usage, error.reason)
        }
    }

    private static func content(_ content: Content) async throws(CommandFailure) -> RequestContent {
        switch content {
        case .data(let text): return .data(Data(text.utf8), type: .form)
        case .json(let text):
            return .data(try checked(Array(text.utf8), "--json", .usage), type: .json)
        case .file(let path, .json?):
            let bytes = try await InputFile.readWaiting(path, limit: mostJSON)
            let data = try checked(bytes, InputFile.subject(path), .file)
            return RequestContent(.json) { .data(data) }
        case .file("-", let type):
            var status = stat()
            guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
                throw CommandFailure(.file, "standard input cannot be read: it is closed, or a folder")
            }
            return RequestContent(type ?? .octetStream) { .source(InputSource()) }
        case .file(let path, let type):
            return .file(try InputFile.regular(path), type: type)
        case .form(let fields): return .value(fields, in: .form)
        case .parts(let parts):
            var form = MultipartFormData()
            for part in parts {
                guard let path = part.file else {
                    form.append(part.text, name: part.name)
                    continue
                }
                guard path == "-" || InputFile.isPipe(path) else {
                    form.append(
                        file: try InputFile.regular(path), name: part.name, fileName: part.fileName, type: part.type)
                    continue
                }
                // Read now: the length of the form must be known before it is sent.
                let bytes = try await InputFile.readWaiting(path, limit: mostJSON)
                guard bytes.count <= mostJSON else {
                    let way = "-F sends a larger part from a file"
                    throw CommandFailure(.file, "\(InputFile.subject(path)) is larger than 64 MiB; \(way)")
                }
                let fileName = part.fileName ?? URL.file(at: path).lastPathComponent
                form.append(Data(bytes), name: part.name, fileName: fileName, type: part.type ?? .octetStream)
            }
            return .multipart(form)
        }
    }
}

extension GetArguments {
    /// The most bytes of JSON that are checked, and of a part that is no file; as the table's limit for reading JSON.
    private static let mostJSON = 64 << 20

    /// The bytes, which are JSON.
    private static func checked(_ bytes: [UInt8], _ subject: String, _ code: ExitCode) throws(CommandFailure) -> Data {
        guard bytes.count <= mostJSON else {
            let way = "-d @FILE -H 'Content-Type: application/json' sends it unchecked"
            throw CommandFailure(code, "\(subject) is larger than 64 MiB, and --json checks no more; \(way)")
        }
        do {
            _ = try JSON(parsing: bytes, options: .init(maximumSize: 16 * mostJSON))
        } catch {
            throw CommandFailure(code, "\(subject) is not JSON: \(error)")
        }
        return Data(bytes)
    }
}

extension ConnectionArguments {
    func configuration() throws(CommandFailure) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        var settings = ConnectionSettings(http: http)
        var tls = TLSSettings(unsafelyAcceptsAnyCertificate: isInsecure)
        tls.certificateAuthorities = try authorities.map { path throws(CommandFailure) in try InputFile.pem(path) }
        if let certificate, let key {
            tls.clientCertificate = ClientCertificate(
                certificate: try InputFile.pem(certificate), key: try InputFile.pem(key),
                passphrase: try passphrase.map { text throws(CommandFailure) in
                    try GetArguments.file(text).map { path throws(CommandFailure) in try InputFile.line(at: path) }
                        ?? text
                })
        }
        settings.tls = tls
        if let connectTimeout { settings.connectTimeout = connectTimeout }
        settings.unixSocket = unixSocket
        if let proxy {
            do throws(FormatFailure) {
                settings.proxy = try ProxySettings(proxy)
            } catch {
                throw CommandFailure(.usage, "--proxy: \(error.reason)")
            }
        }
        configuration.connection = settings
        for resolution in resolutions {
            settings.address = resolution.address
            do throws(FormatFailure) {
                configuration.connectionByHost[try HostPattern(parsing: resolution.host)] = settings
            } catch {
                throw CommandFailure(
                    .usage, "--resolve: '\(resolution.host)' is not a host and a port: \(error.reason)")
            }
        }
        return configuration
    }
}

/// The cookies of `--cookie-jar`: read from the file if it is there, and saved in it.
///
/// The call reads them when it begins, as an interceptor: so its timeouts count meanwhile, and the first signal ends it.
final class CookieFile: RequestInterceptor, NeverSigningInterceptor {
    let jar = CookieJar()
    private let path: String
    private let file: URL
    /// The result of reading; nil before the file was read.
    private let result = Guarded<Result<Void, CommandFailure>?>(nil)

    init(_ path: String) throws(CommandFailure) {
        (self.path, file) = (path, .file(at: path))
        if let obstacle = OutputFile.obstacle(path) {
            throw CommandFailure(.file, "the cookies cannot be saved in \(path): \(obstacle)")
        }
    }

    func adapt(_ request: SessionRequest) async throws -> SessionRequest {
        if result.withLock({ $0 }) == nil { try await read() }
        return request
    }

    /// Reads the file on a thread of its own, because a disk can hang. The call does not wait for it when it has ended.
    private func read() async throws {
        let (path, file) = (path, file)
        let read: Result<CookieJar, any Error> = await withUnsafeContinuation { continuation in
            // Resumed once: the thread runs the work or, if there is no thread, this function does.
            let work = { @Sendable in
                continuation.resume(
                    returning: Result { access(path, F_OK) == 0 ? try CookieJar(contentsOf: file) : CookieJar() })
            }
            if !BackgroundThread.start(work) { work() }
        }
        // The cookies of a call that has ended are not used, and not saved.
        try Task.checkCancellation()
        let result = read.map { jar.replaceAll(by: $0) }.mapError {
            CommandFailure(.file, "the cookies of \(path) cannot be read: \(FailureReason($0))")
        }
        self.result.withLock { $0 = result }
        try result.get()
    }

    /// Throws the reason that the cookies could not be read, if there is one.
    func check() throws(CommandFailure) { try result.withLock { $0 }?.get() }

    /// Saves the cookies, unless they were not read. A login is often a cookie of the session, so those are saved too.
    func save() throws(CommandFailure) {
        guard case .success? = result.withLock({ $0 }) else { return }
        do throws(SessionError) {
            try jar.write(to: file, includingSessionCookies: true)
        } catch {
            throw CommandFailure(.file, "the cookies cannot be saved: \(error.reason)")
        }
    }
}

/// Removes header fields that the manager adds to a request, such as Accept.
private struct FieldRemoval: RequestInterceptor {
    let names: [String]

    func sign(_ head: inout RequestHead, body: RequestBody?) { for name in names { head.fields[name] = nil } }
}

/// Standard input as the body of a request, which can be read once.
final class InputSource: RequestBodySource {
    let length: Int64? = nil
    private let hasBegun = Guarded(false)

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> RequestBodyPiece {
        hasBegun.withLock { $0 = true }
        let count = SystemCall.read(STDIN_FILENO, buffer)
        guard count >= 0 else { throw CommandFailure(.file, "standard input cannot be read: \(SystemError.last)") }
        return count == 0 ? .end() : .bytes(count)
    }

    func rewind() throws {
        guard hasBegun.withLock({ !$0 }) else { throw CommandFailure(.file, "standard input can be read once") }
    }
}
