public import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// One cookie as a user agent keeps it (RFC 6265, section 5.3).
public struct Cookie: Sendable, Hashable {
    /// The name as the server wrote it. It is case-sensitive.
    public let name: String
    /// The value as the server wrote it, not decoded.
    public let value: String
    /// The host that the cookie is sent to, in canonical form.
    public let domain: String
    /// Whether the cookie is also sent to the subdomains of `domain`.
    public let includesSubdomains: Bool
    /// The path that the cookie is sent to, with all paths below it.
    public let path: String
    /// Whether the cookie is sent over secure connections only.
    public let isSecure: Bool
    /// Whether the server wants the cookie hidden from scripts.
    public let isHTTPOnly: Bool
    /// The expiry date; nil for a cookie that lasts as long as the jar.
    public let expires: Date?
    /// The charset in which the name and the value were read, and are sent; nil for UTF-8.
    let charset: Charset?
    enum Charset: String, Codable { case latin1 = "iso-8859-1" }

    /// Whether the name and the value are octets that are not UTF-8.
    var isLatin1: Bool { charset == .latin1 }
    var nameText: FieldText { FieldText(name, isLatin1: isLatin1) }
    var valueText: FieldText { FieldText(value, isLatin1: isLatin1) }
}

// The initialiser of the members makes a cookie that is not checked: see `checked()`.
extension Cookie {
    /// A cookie of your own, for example one from an earlier run.
    /// - Throws: `FormatFailure` if no `Set-Cookie` field could set the cookie (RFC 6265, section 5.2), or if the name
    ///   has a prefix whose rule the cookie breaks: `__Secure-` needs `isSecure`, and `__Host-` also needs a single
    ///   host and the path `/`.
    public init(
        _ name: String, _ value: String, domain: String, includesSubdomains: Bool = false, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, expires: Date? = nil
    ) throws(FormatFailure) {
        guard FieldByte.isToken(name) else { throw Self.refused("the name of the cookie is not a token") }
        self = try Cookie(
            name: name, value: value, domain: domain, includesSubdomains: includesSubdomains, path: path,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, expires: expires, charset: nil
        ).checked()
    }

    /// Checks the cookie, and returns it with its domain in canonical form.
    ///
    /// A name need not be a token: servers set names like `a[b]`, and user agents keep them.
    /// - Throws: `FormatFailure` if no `Set-Cookie` field could set the cookie. The reason does not quote the cookie.
    func checked() throws(FormatFailure) -> Cookie {
        guard !name.isEmpty else { throw Self.refused("the cookie has no name") }
        guard Self.isPlain(name), isSendable(name), !name.utf8.contains(where: { [0x09, 0x3B, 0x3D].contains($0) }),
            name.utf8.first != UInt8(ascii: " "), name.utf8.last != UInt8(ascii: " ")
        else {
            throw Self.refused("the name of the cookie has a character that it cannot have")
        }
        guard Self.isPlain(value), isSendable(value), !value.utf8.contains(UInt8(ascii: ";")) else {
            throw Self.refused("the value of the cookie has a character that it cannot have")
        }
        // The path of a URL can have a semicolon, and so can a cookie without a Path attribute.
        guard Self.isPlain(path), !path.utf8.contains(0x09), path.utf8.first == UInt8(ascii: "/") else {
            throw Self.refused("the path of the cookie is not a path")
        }
        guard let host = CanonicalHost(domain), host.port == nil, !(host.isAddress && includesSubdomains) else {
            throw Self.refused("the domain of the cookie is not a host")
        }
        // Upper and lower case are the same in a prefix (draft-ietf-httpbis-rfc6265bis, section 5.7).
        let start = FieldByte.lowercased(name.unicodeScalars.prefix(9).map(String.init).joined())
        if start == "__secure-", !isSecure {
            throw Self.refused("the name of the cookie begins with __Secure-, and the cookie is not secure")
        }
        if start.hasPrefix("__host-"), !isSecure || includesSubdomains || path != "/" {
            throw Self.refused(
                "the name of the cookie begins with __Host-, and the cookie is not a secure one of a single host with "
                    + "the path /")
        }
        return Cookie(
            name: name, value: value, domain: host.name, includesSubdomains: includesSubdomains, path: path,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, expires: expires, charset: charset)
    }

    static func refused(_ reason: String) -> FormatFailure { FormatFailure("cookie", .malformed, reason) }

    /// Whether there are no controls but tabs (draft-ietf-httpbis-rfc6265bis, section 5.6, step 1).
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy(FieldByte.isValue) }

    /// Whether each scalar is an octet, if it should be one.
    private func isSendable(_ text: String) -> Bool { !isLatin1 || text.unicodeScalars.allSatisfy { $0.value <= 0xFF } }
}

/// The keys are the names of the properties. A session cookie has no key `expires`. Only a cookie whose name and value
/// are not UTF-8 has the key `charset`, with the value `iso-8859-1`.
extension Cookie: Codable {
    /// Decodes a cookie, its value included.
    /// - Throws: `DecodingError.dataCorrupted` if no `Set-Cookie` field could set the cookie. Its sentence does not
    ///   quote the cookie.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let cookie = Cookie(
            name: try members.decode(String.self, forKey: .name),
            value: try members.decode(String.self, forKey: .value),
            domain: try members.decode(String.self, forKey: .domain),
            includesSubdomains: try members.decode(Bool.self, forKey: .includesSubdomains),
            path: try members.decode(String.self, forKey: .path),
            isSecure: try members.decode(Bool.self, forKey: .isSecure),
            isHTTPOnly: try members.decode(Bool.self, forKey: .isHTTPOnly),
            expires: try members.decodeIfPresent(Date.self, forKey: .expires),
            charset: try members.decodeIfPresent(Charset.self, forKey: .charset))
        do {
            self = try cookie.checked()
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.reason, underlyingError: error))
        }
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Shows the name, domain and path of the cookie, but not its value.
    public var description: String { "cookie \(Redaction.name(name)) of \(domain)\(Redaction.masked(path))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
