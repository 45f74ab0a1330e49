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

    /// A cookie of your own, for example one from an earlier run.
    /// - Throws: `FormatFailure` if no `Set-Cookie` field could set the cookie (RFC 6265, section 5.2).
    public init(
        _ name: String, _ value: String, domain: String, includesSubdomains: Bool = false, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, expires: Date? = nil
    ) throws(FormatFailure) {
        guard FieldByte.isToken(name) else { throw Self.refused("the name of the cookie is not a token") }
        guard Self.isPlain(value) else {
            throw Self.refused("the value of the cookie has a character that it cannot have")
        }
        guard Self.isPlain(path), path.hasPrefix("/") else {
            throw Self.refused("the path of the cookie is not a path")
        }
        guard let host = CanonicalHost(domain), host.port == nil, !(host.isAddress && includesSubdomains) else {
            throw Self.refused("the domain of the cookie is not a host")
        }
        self.init(
            name: name, value: value, domain: host.name, includesSubdomains: includesSubdomains, path: path,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, expires: expires)
    }

    /// A cookie that a transport has checked.
    package init(
        name: String, value: String, domain: String, includesSubdomains: Bool, path: String, isSecure: Bool,
        isHTTPOnly: Bool, expires: Date?
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.includesSubdomains = includesSubdomains
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expires = expires
    }

    private static func refused(_ reason: String) -> FormatFailure { FormatFailure("cookie", .malformed, reason) }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Shows where the cookie goes, but not its value.
    public var description: String { "cookie \(Redaction.name(name)) of \(domain)\(Redaction.masked(path))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
