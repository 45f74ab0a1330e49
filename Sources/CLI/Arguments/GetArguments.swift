import Patchbay
import PatchbayPlatform

/// The arguments of `get`: a request, the connection that carries it, and the form of the output. No file is read.
struct GetArguments: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        /// The bytes of the text, sent as a form if no header field names another type.
        case data(String)
        case json(String)
        /// The bytes of a file, read while they are sent; `-` is standard input. Nil for the type of the file's name.
        case file(String, MediaType?)
        case form(FormFields)
        case parts([FormPart])
    }

    struct HeaderLine: Equatable, Sendable {
        let name: String
        /// Nil for a field that is not sent.
        let value: String?
    }

    /// The destination of the bytes of the body; nil if a value is printed.
    enum Output: Equatable, Sendable {
        case standardOutput
        case file(String)
        /// A file in the working folder, with the name that the response suggests.
        case suggestedFile
    }

    var url: TypedURL
    /// The method of `-X`. The default is POST with a body, PUT for an upload and GET without a body.
    var method: String
    var headers: [HeaderLine] = []
    var content: Content?
    /// `NAME:PASSWORD`, a name whose password is asked for, or `@FILE`, where a name has no `:`.
    var user: String?
    /// A token, or `@FILE`.
    var bearer: String?
    /// The folder of stored responses.
    var cache: String?
    var output: Output?
    var resumes = false
    var isStream = false
    var entry: String?
    var showsHead = false
    var isVerbose = false
    var showsSecrets = false
    var isSilent = false
    var followsRedirects = true
    var timeout: Duration?
    var retries: Int?
    var maximumBytes: Int?
    let connection: ConnectionArguments

    init(_ words: ScannedWords) throws(UsageError) {
        connection = try ConnectionArguments(words)
        try ForeignWords.refuse(operands: words.operands)
        url = try TypedURL(words.operand("the URL"), overSocket: connection.unixSocket != nil)
        headers = try words.all(.header)
        content = try Self.content(words)
        method = try Self.method(words, content)
        (user, bearer) = (try words.one(.user), try words.one(.bearer))
        try words.notBoth(.user, .bearer, "a request has one Authorization field")
        cache = try words.one(.cache)
        guard bearer != "" else { throw UsageError("--bearer needs a token, and it is empty") }
        guard user != "" else { throw UsageError("--user needs a name, and it is empty") }
        var readings = [bearer, user, connection.passphrase].count { $0 == "@-" }
        switch content {
        case .file("-", _)?: readings += 1
        case .parts(let parts)?: readings += parts.count { $0.file == "-" }
        default: break
        }
        guard readings <= 1 else { throw UsageError("- is given twice; standard input can be read once") }
        try readOutput(words)
        let redirects = [CommandOption.location.name, CommandOption.noRedirects.name]
        followsRedirects = words.occurrences.map(\.name).last(where: redirects.contains) != redirects[1]
        timeout = try words.one(.timeout)
        retries = try words.one(.retry)
        maximumBytes = try words.one(.maxSize)
    }

    private mutating func readOutput(_ words: ScannedWords) throws(UsageError) {
        (showsHead, isVerbose) = (words.has(.include), words.has(.verbose))
        (showsSecrets, isSilent) = (words.has(.showSecrets), words.has(.silent))
        (resumes, entry) = (words.has(.resume), try words.one(.entry))
        isStream = words.has(.stream)
        let isJSON = try words.one(.format) ?? CommonOptions.Format.text == .json
        try words.notBoth(.output, .remoteName, "the body goes to one place")
        if words.has(.raw) { output = .standardOutput }
        if let name: String = try words.one(.output) { output = name == "-" ? .standardOutput : .file(name) }
        if words.has(.remoteName) { output = .suggestedFile }
        if let writer = [CommandOption.raw, .output, .remoteName].first(where: words.has)?.name {
            guard !isStream else { throw UsageError("--stream prints elements, and \(writer) writes bytes") }
            guard entry == nil else { throw UsageError("--entry makes a value, and \(writer) writes bytes") }
        }
        guard output != .standardOutput || !isJSON else {
            throw UsageError("--output - and --format json are both given; the bytes of a body are no document")
        }
        guard !showsHead || !isJSON else {
            throw UsageError("--include and --format json are both given; the document has the head")
        }
        guard !showsSecrets || isVerbose || isJSON else {
            throw UsageError("--show-secrets needs --verbose or --format json")
        }
        guard resumes else { return }
        guard case .file = output else { throw UsageError("--continue needs --output FILE, whose bytes it continues") }
        guard method == "GET" else { throw UsageError("--continue is for GET, not for \(method)") }
    }

    private static func method(_ words: ScannedWords, _ content: Content?) throws(UsageError) -> String {
        let method: String? = try words.one(.request)
        guard words.has(.head) else {
            return method ?? (words.has(.uploadFile) ? "PUT" : content == nil ? "GET" : "POST")
        }
        guard content == nil else { throw UsageError("--head asks for the head, and a body is given") }
        try words.notBoth(.head, .request, "a request has one method")
        return "HEAD"
    }

    private static func content(_ words: ScannedWords) throws(UsageError) -> Content? {
        let part = words.has(.part) ? CommandOption.part : .formString
        let kinds = [CommandOption.data, .json, .form, part, .uploadFile].filter(words.has).map(\.name)
        guard kinds.count <= 1 else {
            throw UsageError("\(kinds.joined(separator: " and ")) are both given; a request has one body")
        }
        let texts: [String] = try words.all(.data)
        if texts.count == 1, let file = file(texts[0]) { return .file(file, nil) }
        guard !texts.contains(where: { $0.hasPrefix("@") }) else {
            throw UsageError("--data is given \(texts.count) times; a file is the whole body")
        }
        if !texts.isEmpty { return .data(texts.joined(separator: "&")) }
        if let text: String = try words.one(.json) { return file(text).map { .file($0, .json) } ?? .json(text) }
        if let path: String = try words.one(.uploadFile) { return .file(path, nil) }
        var fields: [FormFields.Element] = []
        for field: String in try words.all(.form) {
            guard let equals = field.firstIndex(of: "=") else {
                throw UsageError("--form needs NAME=VALUE, and field \(fields.count + 1) has no '='")
            }
            fields.append((String(field[..<equals]), String(field[field.index(after: equals)...])))
        }
        if !fields.isEmpty { return .form(FormFields(fields)) }
        var parts: [FormPart] = []
        for (name, text) in words.occurrences {
            let isText = name == CommandOption.formString.name
            guard isText || name == CommandOption.part.name else { continue }
            parts.append(try FormPart(text, number: parts.count + 1, isText: isText))
        }
        return parts.isEmpty ? nil : .parts(parts)
    }

    /// The path after a leading `@`; nil for other text.
    static func file(_ text: String) -> String? { text.hasPrefix("@") ? String(text.dropFirst()) : nil }

    static func seconds(_ text: String) -> Duration? {
        // A year is long enough, and far from the bounds of Duration.
        Double(text).flatMap { $0 > 0 && $0 <= 31_536_000 ? .seconds($0) : nil }
    }

    /// Reads a number of bytes: `1000`, `64k`, `10M` or `2G`, in powers of 1,024.
    static func bytes(_ text: String) -> Int? {
        let shift = ["k": 10, "m": 20, "g": 30][text.suffix(1).lowercased()]
        let digits = shift == nil ? text[...] : text.dropLast()
        guard let number = Int(digits), number >= 0, number <= Int.max >> (shift ?? 0) else { return nil }
        return number << (shift ?? 0)
    }
}

struct ConnectionArguments: Equatable, Sendable {
    /// `host:port:address`: the address that takes the place of the host's name.
    struct Resolution: Equatable, Sendable {
        let host: String
        let address: String
    }

    var connectTimeout: Duration?
    var authorities: String?
    var certificate: String?
    var key: String?
    var passphrase: String?
    var isInsecure = false
    var http = ConnectionSettings.HTTPVersions.automatic
    var proxy: String?
    var unixSocket: String?
    var resolutions: [Resolution] = []
    var cookieFile: String?

    init(_ words: ScannedWords) throws(UsageError) {
        connectTimeout = try words.one(.connectTimeout)
        (authorities, certificate, key) = (try words.one(.cacert), try words.one(.cert), try words.one(.key))
        guard (certificate == nil) == (key == nil) else {
            throw UsageError("--cert and --key are needed together: the certificate, and the key that belongs to it")
        }
        passphrase = try words.one(.pass)
        guard passphrase == nil || key != nil else {
            throw UsageError("--pass is for the key of --key, which is missing")
        }
        isInsecure = words.has(.insecure)
        try words.notBoth(.insecure, .cacert, "one takes every certificate, the other checks")
        try words.notBoth(.http1, .http2, "a connection has one version")
        http = words.has(.http1) ? .http1 : words.has(.http2) ? .http2 : .automatic
        (proxy, unixSocket) = (try words.one(.proxy), try words.one(.unixSocket))
        try words.notBoth(.proxy, .unixSocket, "a connection has one way")
        resolutions = try words.all(.resolve)
        cookieFile = try words.one(.cookieJar)
    }
}

extension ConnectionArguments.Resolution {
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0, !parts[2].isEmpty else {
            throw UsageError("--resolve: '\(Redaction.masked(text))' is not HOST:PORT:ADDRESS")
        }
        host = "\(parts[0]):\(port)"
        let address = parts[2]
        // An IPv6 address is in brackets for the library, and may be typed without.
        self.address = address.hasPrefix("[") || address.count(where: { $0 == ":" }) < 2 ? address : "[\(address)]"
        guard CanonicalHost(self.address) != nil else {
            throw UsageError("--resolve: '\(address)', the address in '\(text)', is neither an address nor a name")
        }
    }
}

extension GetArguments.HeaderLine {
    /// Reads `Name: value`, `Name:` for a field that is not sent, and `Name;` for an empty field. Errors never show the
    /// text, because it can contain a credential.
    init(_ line: String) throws(UsageError) {
        if line.hasSuffix(";"), !line.contains(":"), line.count > 1 {
            (name, value) = (String(line.dropLast()), "")
            return
        }
        guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
            throw UsageError("--header needs 'NAME: VALUE', and one has no name before a colon")
        }
        name = String(line[..<colon])
        var value = line[line.index(after: colon)...]
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        self.value = value.isEmpty ? nil : String(value)
    }
}
