// Requests and responses as Foundation represents them.

import Foundation
import PatchbayCodings
import PatchbayManager
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportFailure {
    /// A refusal of what libcurl can do.
    static func unsupported(_ reason: String) -> Self {
        Self(.unsupportedRequest, "\(reason); CurlTransport of PatchbayCurl can, on Linux and macOS")
    }

    static let trailers = unsupported("URLSession cannot send trailer fields")
}

extension ConnectionSettings {
    /// - Throws: if a setting is not the default, because URLSession can't apply it to one host.
    func checkForURLSession() throws(TransportFailure) {
        guard let (setting, reason) = unsupported ?? tls?.unsupported else { return }
        throw .unsupported("URLSession cannot apply ConnectionSettings.\(setting) to a host, because \(reason)")
    }

    /// The first setting that is not the default, except those of TLS, and the reason that URLSession can't apply it.
    private var unsupported: (setting: String, reason: String)? {
        switch self {
        case _ where connectionsPerHost != nil:
            (
                "connectionsPerHost",
                "it has one limit for all hosts, which URLSessionTransport(maximumConnectionsPerHost:) sets"
            )
        case _ where proxy != .environment: ("proxy", "it takes the proxy that the system names")
        case _ where unixSocket != nil: ("unixSocket", "it connects to no Unix socket")
        case _ where address != nil: ("address", "it connects to the host of the URL")
        case _ where ipVersion != nil: ("ipVersion", "it chooses between IPv4 and IPv6")
        case _ where http != .automatic: ("http", "it chooses the version of HTTP")
        case _ where maximumConnectionAge != nil: ("maximumConnectionAge", "it decides how long it keeps connections")
        case _ where idleConnectionAge != nil: ("idleConnectionAge", "it decides how long it keeps connections")
        case _ where tls == nil: ("tls = nil", "it has no setting that refuses https")
        default: nil
        }
    }
}

extension TLSSettings {
    /// The first setting that is not the default, and the reason that URLSession can't apply it.
    fileprivate var unsupported: (setting: String, reason: String)? {
        let authorities = "it trusts the authorities of the system, and no others"
        return switch self {
        case TLSSettings(): nil
        case _ where certificateAuthorities != nil: ("tls.certificateAuthorities", authorities)
        case _ where certificateAuthorityData != nil: ("tls.certificateAuthorityData", authorities)
        case _ where keepsSystemAuthorities: ("tls.keepsSystemAuthorities", authorities)
        case _ where clientCertificate != nil: ("tls.clientCertificate", "it sends no certificate of a file")
        case _ where !pinnedKeys.isEmpty: ("tls.pinnedKeys", "it compares no keys")
        case _ where maximumVersion != nil: ("tls.maximumVersion", "it has the versions of the system")
        case _ where acceptsMissingCloseNotify: ("tls.acceptsMissingCloseNotify", "it decides when a body is complete")
        case _ where unsafelyAcceptsAnyCertificate:
            ("tls.unsafelyAcceptsAnyCertificate", "it checks every certificate")
        default: ("tls.minimumVersion", "it has the versions of the system")
        }
    }
}

extension URLRequest {
    /// The head of a request for Foundation.
    /// - Throws: the reason that Foundation cannot send it.
    init(_ request: TransportRequest) throws(TransportFailure) {
        try request.sharedConnection.settings.checkForURLSession()
        let head = request.head
        guard let scheme = head.url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = head.url.host(), !host.isEmpty
        else { throw TransportFailure(.unsupportedRequest, "URLSession carries only http and https URLs with a host") }
        if request.body != nil {
            if head.method == "GET" { throw .unsupported("URLSession cannot send a body with a GET request") }
            if head.method == "HEAD" {
                throw TransportFailure(.unsupportedRequest, "a HEAD request cannot have a body")
            }
        }
        try request.checkHead()
        if let place = head.fields.indices.first(where: head.fields.isLatin1) {
            throw .unsupported(
                "URLSession cannot send the value of header field \(head.fields[place].name), which is not UTF-8")
        }
        self.init(url: try head.url.withoutUserInfo())
        httpMethod = head.method
        httpShouldHandleCookies = false
        #if canImport(FoundationNetworking)
            // libcurl sends no field with a blank value. Without the blank values, libcurl and Foundation would add fields
            // of their own.
            for name in ["Accept", "Accept-Language", "User-Agent"] { setValue(" ", forHTTPHeaderField: name) }
        #endif
        // URLSession can't be paused, so the bytes that wait must not be more than those that the host sends.
        if request.sink == .stream || request.isSuspendable {
            setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        var seen: Set<String> = []
        for field in head.fields where seen.insert(field.name.lowercased()).inserted {
            setValue(head.fields.values(for: field.name).joined(separator: ", "), forHTTPHeaderField: field.name)
        }
    }

    /// Sends the bytes of the file, with their number.
    mutating func setBody(_ file: BodyFile, count: Int) {
        httpBodyStream = InputStream(url: file.url)
        setValue("\(count)", forHTTPHeaderField: "Content-Length")
        #if canImport(FoundationNetworking)
            // Without the blank values, libcurl would send chunks in spite of the length, and Foundation would add the
            // Content-Type of a form.
            setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            if value(forHTTPHeaderField: "Content-Type") == nil { setValue(" ", forHTTPHeaderField: "Content-Type") }
        #endif
    }
}

extension URL {
    /// Returns the URL without a user and a password, which libcurl would turn into an `Authorization` field.
    fileprivate func withoutUserInfo() throws(TransportFailure) -> URL {
        guard user() != nil || password() != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        guard let url = components?.url else {
            throw TransportFailure(.unsupportedRequest, "the URL cannot be written without its user and password")
        }
        return url
    }
}

extension HeaderFields {
    /// The fields of a response, sorted by name because Foundation keeps no order.
    init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.flatMap { name, value -> [Element] in
            guard let name = name.base as? String, let value = value as? String else { return [] }
            guard HeaderFields.matches(name, "Set-Cookie") else { return [(name, value)] }
            return Self.separatedCookies(value).map { (name, $0) }
        }
        self.init(fields.sorted { $0.name < $1.name })
    }

    /// The values of `Set-Cookie` fields that Foundation has joined by `, `.
    ///
    /// A comma and a space begin another field if a name and `=` follow them. In the attributes of a cookie they always
    /// do, except in the date of `Expires`: an attribute that took up the field behind it would be another attribute, and
    /// a cookie without `Secure` goes over http. A cookie with such a text in its value is read as two.
    static func separatedCookies(_ joined: String) -> [String] {
        let bytes = joined.utf8
        var values: [String] = []
        var start = bytes.startIndex
        var rest = bytes[...]
        while let comma = rest.firstIndex(of: UInt8(ascii: ",")) {
            rest = rest[comma...].dropFirst()
            guard rest.first == UInt8(ascii: " ") else { continue }
            let next = rest.dropFirst()
            guard beginsCookie(next, after: bytes[start..<comma]) else { continue }
            values.append(String(joined[start..<comma]))
            (start, rest) = (next.startIndex, next)
        }
        return values + [String(joined[start...])]
    }

    private static func beginsCookie(_ rest: Substring.UTF8View, after cookie: Substring.UTF8View) -> Bool {
        let name = rest.prefix { !";,=".utf8.contains($0) }
        let isNamed = name.contains { !" \t".utf8.contains($0) } && rest[name.endIndex...].first == UInt8(ascii: "=")
        guard !isNamed, let attribute = cookie.lastIndex(of: UInt8(ascii: ";")) else { return isNamed }
        let words = Substring(cookie[attribute...].dropFirst()).split(separator: "=", maxSplits: 1)
        return words.first?.trimmingCharacters(in: .whitespaces).lowercased() != "expires"
    }
}

/// The framing of a response, and whether the received body agrees with it (RFC 9112, section 6).
struct ResponseFraming: Sendable {
    private let status: Int
    private let hasNoBody: Bool
    private let isEncoded: Bool
    private let announced: Int?

    /// Throws if the framing of the head is contradictory and a body can follow.
    init(method: String, status: Int, fields: HeaderFields) throws(TransportFailure) {
        self.status = status
        hasNoBody = !ResponseHead.canHaveBody(status, to: method)
        isEncoded = fields.hasContentCoding
        guard !hasNoBody else {
            announced = nil
            return
        }
        do throws(MessageFraming.Ambiguity) {
            announced = try MessageFraming.length(
                fields, hasLength: fields["Content-Length"] != nil,
                hasTransferCoding: fields["Transfer-Encoding"] != nil)
        } catch {
            throw TransportFailure(.malformedResponse, "the response is malformed: \(error.reason)")
        }
    }

    /// The failure if a body with this many decoded bytes can't be the announced body; otherwise nil.
    func failure(received: Int, isBodyLost: Bool) -> TransportFailure? {
        if hasNoBody { return nil }
        if isBodyLost, announced != 0 {
            return TransportFailure(
                .truncatedBody, "URLSession drops the body of a \(status) response without a usable Location")
        }
        guard !isEncoded, let announced, received != announced else { return nil }
        return TransportFailure(.truncatedBody, "the body has \(received) bytes where \(announced) were announced")
    }
}
