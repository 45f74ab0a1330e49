import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// A URL as libcurl and this side read it alike: without a user name, of which libcurl would make credentials (whether to send
/// any is decided above the transport), and without a spelling of the host that hides which settings are its.
struct WireURL: Sendable {
    let url: URL
    let text: String
    /// Whether the scheme is https.
    let isSecure: Bool

    init(_ url: URL) throws(TransportFailure) {
        let text = url.absoluteString
        if let isSecure = Self.isPlain(text) {
            (self.url, self.text, self.isSecure) = (url, text, isSecure)
            return
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw TransportFailure(.unsupportedRequest, "only http and https URLs can be requested")
        }
        let plain = try Self.plain(url)
        guard CanonicalHost(url: plain) != nil else {
            throw TransportFailure(.unsupportedRequest, "the URL has no host or port that can be asked")
        }
        (self.url, self.text, isSecure) = (plain, plain.absoluteString, scheme == "https")
    }

    /// The host that the settings are looked up for.
    var host: CanonicalHost? { CanonicalHost(url: url) }

    // MARK: A URL that is plain as it is written

    /// For `http://` or `https://` and a plain host, with or without a port, whether it is https; nil for any other URL, which
    /// has to be looked at more closely.
    private static func isPlain(_ text: String) -> Bool? {
        var text = text
        return text.withUTF8 { bytes in
            let isSecure = bytes.begins(with: "https://")
            guard isSecure || bytes.begins(with: "http://") else { return nil }
            let authority = bytes.dropFirst(isSecure ? 8 : 7).prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            let host = authority.prefix { $0 != UInt8(ascii: ":") }
            let port = authority[host.endIndex...].dropFirst()
            guard port.count < 5 || (port.count == 5 && !"65535".utf8.lexicographicallyPrecedes(port)),
                port.allSatisfy(isDigit)
            else { return nil }
            return isName(host) || isAddress(host) ? isSecure : nil
        }
    }

    /// Whether it is a name of ASCII letters, digits, `-` and `.` that cannot be an address: its last label begins with a letter.
    private static func isName(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var (last, labelBegins) = (UInt8(ascii: "."), UInt8(ascii: "."))
        for byte in host {
            guard isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") else {
                return false
            }
            if last == UInt8(ascii: ".") {
                guard byte != last else { return false }
                labelBegins = byte
            }
            last = byte
        }
        return last != UInt8(ascii: ".") && isLetter(labelBegins)
    }

    /// Whether it is an IPv4 address in four decimal numbers without leading zeros.
    private static func isAddress(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var (parts, digits, value) = (1, 0, 0)
        for byte in host {
            if byte == UInt8(ascii: "."), digits > 0 {
                (parts, digits, value) = (parts + 1, 0, 0)
                continue
            }
            guard isDigit(byte), digits == 0 || value > 0 else { return false }
            (digits, value) = (digits + 1, value * 10 + Int(byte & 0x0F))
            guard value <= 255 else { return false }
        }
        return parts == 4 && digits > 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    // MARK: Any other URL

    private static func plain(_ url: URL) throws(TransportFailure) -> URL {
        let host = plainHost(of: url)
        guard url.user != nil || url.password != nil || host != nil else { return url }
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        if let host {
            // Foundation ends the process where it is to write another character.
            guard HostName.isWritable(host) else {
                throw TransportFailure(.unsupportedRequest, "the host of the URL has a character that no host has")
            }
            components?.encodedHost = host
        }
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
