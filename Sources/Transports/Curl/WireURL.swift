import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// A URL that libcurl and this transport interpret in the same way: without a user name, from which libcurl would make
/// credentials (the session manager decides about credentials), and without a spelling of the host that hides its
/// settings.
struct WireURL: Sendable {
    let text: String
    /// The host for looking up the settings.
    let host: CanonicalHost
    let isSecure: Bool

    /// - Parameter host: the host of a URL that a call has made; nil for any other URL.
    init(_ url: URL, host: CanonicalHost?) throws(TransportFailure) {
        let text = url.absoluteString
        if let host, host.isPlainlyWritten {
            (self.text, self.host) = (text, host)
        } else {
            guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
                throw .unsupported("only http and https URLs can be requested")
            }
            let plain = try Self.plain(url)
            guard let host = CanonicalHost(url: plain) else {
                throw .unsupported("the URL has no host or port that can be asked")
            }
            (self.text, self.host) = (plain.absoluteString, host)
        }
        // The s of https, in either case.
        isSecure = self.text.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
    }

    private static func plain(_ url: URL) throws(TransportFailure) -> URL {
        let host = plainHost(of: url)
        guard url.user != nil || url.password != nil || host != nil else { return url }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        if let host {
            // Foundation traps on any other character.
            guard HostName.isWritable(host) else {
                throw .unsupported("the host of the URL has a character that no host has")
            }
            components?.encodedHost = host
        }
        guard let plain = components?.url else {
            throw .unsupported("the URL cannot be read")
        }
        return plain
    }

    /// The host to write instead of a percent-encoded host, which libcurl decodes and reads by its own rules, or
    /// instead of an IPv4 address that is not four decimal numbers (WHATWG URL, section 3.5); nil for all other hosts.
    private static func plainHost(of url: URL) -> String? {
        guard let written = url.host(percentEncoded: true), let host = CanonicalHost(url: url),
            !host.name.hasPrefix("[")
        else { return nil }
        let isOtherwiseWritten = host.isAddress && host.plainName != written
        return isOtherwiseWritten || written.contains("%") ? host.plainName : nil
    }
}
