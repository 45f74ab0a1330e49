package import PatchbayPlatform

/// The host and port of a URL in the canonical spelling for comparison with host patterns.
///
/// The name is ASCII in lower case, without a trailing dot. Labels beyond ASCII have their `xn--` form, made from
/// lower-case letters in normalization form C. An IPv6 address is in brackets, in its shortest form. An IPv4 address
/// stays as it is written, so that only equal spellings are the same origin; `plainName` has the one spelling. User
/// names and passwords are ignored.
package struct CanonicalHost: Sendable, Hashable {
    /// `api.example.com`, `192.0.2.1`, `[2001:db8::1]`.
    package let name: String
    /// The port; nil if it is the default of the scheme.
    package let port: Int?
    /// The port of the connection, written or default; nil if the URL has no port and the scheme has no default port.
    package let effectivePort: Int?
    /// Whether the URL has an IPv4 address of four decimal numbers without a dot at its end, or a host that is no IPv4
    /// address: then every reader of the URL finds the same host. False without a URL. Not compared.
    package let isPlainlyWritten: Bool
    /// Whether `plainName` is `name`.
    private let hasPlainName: Bool

    /// The host of a URL; nil if it has none, an invalid one, as in `http://[www.example.com]/`, or a port above 65535.
    package init?(url: URL) {
        guard let host = url.host(percentEncoded: false), let name = HostName.canonical(host),
            HostName.hasReadableAuthority(url.absoluteString)
        else { return nil }
        self.init(
            name: name, port: url.port, defaultPort: Self.defaultPort(ofScheme: url.scheme),
            isPlainlyWritten: Self.isPlain(name, in: url.absoluteString))
    }

    /// Reads `host` or `host:port`, as in `EXAMPLE.com.:8080` and `[::1]`, for the scheme https; nil for other text.
    package init?(_ authority: String) {
        guard let parts = HostName.splittingPort(authority), let name = HostName.canonical(String(parts.host)) else {
            return nil
        }
        var port: Int?
        if let digits = parts.port, !digits.isEmpty {
            guard let number = HostName.port(digits) else { return nil }
            port = number
        }
        self.init(
            name: name, port: port, defaultPort: Self.defaultPort(ofScheme: "https"), isPlainlyWritten: false)
    }

    private init(name: String, port: Int?, defaultPort: Int?, isPlainlyWritten: Bool) {
        self.name = name
        self.isPlainlyWritten = isPlainlyWritten
        hasPlainName =
            isPlainlyWritten && !name.hasPrefix("[") || HostName.plainAddress(name).map { $0 == name } ?? true
        self.port = port == defaultPort ? nil : port
        effectivePort = port ?? defaultPort
    }

    /// Whether the name is an address in any notation, and so has no subdomains.
    package var isAddress: Bool { HostName.isAddress(name) }

    /// The name, or the one spelling of an address: as four decimal numbers `192.0.2.1` for an IPv4 address in any
    /// notation, and for one that is mapped into IPv6; without a zone for any other IPv6 address.
    package var plainName: String { hasPlainName ? name : HostName.plainAddress(name) ?? name }

    /// - Parameter text: the URL with the host of this name.
    private static func isPlain(_ name: String, in text: String) -> Bool {
        guard HostName.isAddress(name), !name.hasPrefix("[") else { return true }
        var text = text
        return text.withUTF8 { text in
            // After the scheme and two slashes.
            var rest = text.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
            for number in 0..<4 {
                if number > 0, rest.popFirst() != UInt8(ascii: ".") { return false }
                let digits = rest.prefix { (0x30...0x39).contains($0) }
                let value = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 & 15) }
                guard (1...3).contains(digits.count), value <= 255, digits.count == 1 || digits.first != 0x30 else {
                    return false
                }
                rest = rest.dropFirst(digits.count)
            }
            guard let next = rest.first else { return true }
            switch next {
            case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
            default: return false
            }
        }
    }

    private static func defaultPort(ofScheme scheme: String?) -> Int? {
        switch scheme.map(FieldByte.lowercased) {
        case "http": 80
        case "https": 443
        default: nil
        }
    }
}

extension CanonicalHost {
    package static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.port == right.port && left.effectivePort == right.effectivePort
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(effectivePort)
    }
}

extension CanonicalHost: CustomStringConvertible {
    /// `name`, or `name:port` if the port is not the default.
    package var description: String {
        if let port { "\(name):\(port)" } else { name }
    }
}
