import PatchbayPlatform
import PatchbayRegistry

/// What decides about the cookies of a request and of its response (RFC 6265, sections 5.3 and 5.4).
struct CookieTarget {
    /// The host in canonical form, without a port.
    let host: String
    let isAddress: Bool
    /// The path of the URL, as it is sent.
    let path: String
    /// Whether `Secure` cookies may be sent and set: over https, and over http to this machine.
    let isSecure: Bool

    /// - Parameter host: the host of the URL. A `Host` field of the caller takes its place, except for `isSecure`.
    /// - Returns: nil if the `Host` field is not a host.
    init?(_ head: RequestHead, to host: CanonicalHost) {
        var named = host
        if let field = head.fields["Host"] {
            guard let own = CanonicalHost(field) else { return nil }
            named = own
        }
        self.host = named.name
        isAddress = named.isAddress
        let path = head.url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        isSecure = head.url.scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(host.name)
    }

    /// The path of a cookie without a Path attribute (section 5.1.4): without the last slash and the text after it.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// Whether the host is the domain, or below it (section 5.1.3).
    func isBelow(_ domain: String) -> Bool {
        host == domain || !isAddress && Self.isBelow(host, domain)
    }

    /// Whether the path is that of the cookie, or below it (section 5.1.4).
    func isBelow(path above: String) -> Bool { Self.isBelow(path: path, above) }

    /// Whether a name ends with a dot and the domain.
    static func isBelow(_ host: String, _ domain: String) -> Bool {
        let above = host.utf8.count - domain.utf8.count
        guard above > 1, !domain.isEmpty else { return false }
        let end = host.utf8.dropFirst(above - 1)
        return end.first == UInt8(ascii: ".") && end.dropFirst().elementsEqual(domain.utf8)
    }

    static func isBelow(path: String, _ above: String) -> Bool {
        guard path.utf8.starts(with: above.utf8) else { return false }
        return path.utf8.count == above.utf8.count || above.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(above.utf8.count).first == UInt8(ascii: "/")
    }
}
