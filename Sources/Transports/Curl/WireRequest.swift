import PatchbayManager
import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A request checked and put in the form in which libcurl takes it.
struct WireRequest: Sendable {
    let method: String
    let url: String
    let host: CanonicalHost
    /// Whether the scheme is https.
    let isSecure: Bool
    /// Field lines in libcurl's notation: `Name: value`, `Name;` for an empty value, `Name:` to leave one of its own out.
    let lines: [String]
    /// The bytes to send; nil sends neither a body nor a length.
    let body: RequestBody?
    /// Whether the codings that can be undone are asked for, and undone.
    let decodesContent: Bool
    /// The jar that serves the exchange.
    let cookies: CookieJar?
    /// With a jar, the cookies that the request has beside it.
    let ownCookies: String?
    /// Whether HTTP/2 is wanted where the host offers it: not without TLS, and not where libcurl would buffer without a bound.
    let wantsHTTP2: Bool

    init(_ request: TransportRequest) throws(TransportFailure) {
        let head = request.head
        guard FieldByte.isToken(head.method), head.method != "CONNECT" else {
            throw TransportFailure(.unsupportedRequest, "the method is not one that can be sent")
        }
        guard let scheme = head.url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw TransportFailure(.unsupportedRequest, "only http and https URLs can be requested")
        }
        let url = try Self.plain(head.url)
        guard let host = CanonicalHost(url: url) else {
            throw TransportFailure(.unsupportedRequest, "the URL has no host")
        }
        self.host = host
        isSecure = scheme == "https"
        method = head.method
        self.url = url.absoluteString
        // RFC 9110, section 8.6: a method that expects content says so even when there is none.
        let body = request.body ?? (["POST", "PUT", "PATCH"].contains(head.method) ? .data(Data()) : nil)
        guard body == nil || head.method != "HEAD" else {
            throw TransportFailure(.unsupportedRequest, "a HEAD request cannot have a body")
        }
        self.body = body
        wantsHTTP2 = isSecure && !request.mayPause
        decodesContent = !request.mayPause && head.fields["Accept-Encoding"] == nil
        cookies = request.cookies as? CookieJar
        guard cookies != nil || request.cookies == nil else {
            throw TransportFailure(.unsupportedRequest, "libcurl keeps cookies in a CookieJar only")
        }
        // libcurl writes one field of both; with a line of our own it would write two.
        ownCookies = cookies == nil ? nil : Self.cookies(of: head.fields)
        lines = try Self.lines(
            head.fields, leavingOutCookies: cookies != nil, bodyBytes: body.map { $0.length } ?? 0,
            codings: decodesContent ? ContentDecoder.names : [])
    }

    private static func cookies(of fields: HeaderFields) -> String? {
        let values = fields.values(for: "Cookie").filter { !$0.isEmpty }
        return values.isEmpty ? nil : values.joined(separator: "; ")
    }

    private static func lines(
        _ fields: HeaderFields, leavingOutCookies: Bool, bodyBytes: Int64?, codings: [String]
    ) throws(TransportFailure) -> [String] {
        var lines: [String] = []
        for field in fields {
            guard FieldByte.isToken(field.name), !field.value.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) })
            else {
                throw TransportFailure(.unsupportedRequest, "a header field has a character that cannot be sent")
            }
            if HeaderFields.matches(field.name, "Transfer-Encoding") {
                throw TransportFailure(.unsupportedRequest, "Transfer-Encoding is for the transport to choose")
            }
            if HeaderFields.matches(field.name, "Content-Length") {
                guard let bodyBytes, Int64(field.value) == bodyBytes else {
                    throw TransportFailure(.unsupportedRequest, "Content-Length is not the length of the body")
                }
                continue  // libcurl writes it.
            }
            if leavingOutCookies, HeaderFields.matches(field.name, "Cookie") { continue }
            let isBlank = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            lines.append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if fields["Accept-Encoding"] == nil {
            lines.append("Accept-Encoding: " + (codings.isEmpty ? "identity" : codings.joined(separator: ", ")))
        }
        // What libcurl would add of its own accord.
        for name in ["Accept", "Expect", "Content-Type"] where fields[name] == nil { lines.append("\(name):") }
        return lines
    }

    /// The URL as libcurl and this side read it alike: without a user name, of which libcurl would make credentials (whether to
    /// send any is decided above the transport), and without a spelling of the host that hides which settings are its.
    private static func plain(_ url: URL) throws(TransportFailure) -> URL {
        let host = plainHost(of: url)
        guard url.user != nil || url.password != nil || host != nil else { return url }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        if let host { components?.encodedHost = host }
        guard let plain = components?.url else {
            throw TransportFailure(.unsupportedRequest, "the URL cannot be read")
        }
        return plain
    }

    /// The host to write in place of one that is percent-encoded, which libcurl decodes and then reads by rules of its own, or of
    /// an IPv4 address that is not four decimal numbers (WHATWG URL, section 3.5); nil for any other.
    private static func plainHost(of url: URL) -> String? {
        guard let written = url.host(percentEncoded: true), let host = CanonicalHost(url: url),
            !host.name.hasPrefix("[")
        else { return nil }
        var address = in_addr()
        guard host.isAddress, inet_aton(host.name, &address) != 0 else {
            return written.contains("%") ? host.name : nil
        }
        let decimal = withUnsafeBytes(of: address.s_addr) { $0.map { "\($0)" }.joined(separator: ".") }
        return decimal == written ? nil : decimal
    }
}
