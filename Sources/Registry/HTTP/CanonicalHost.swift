package import PatchbayPlatform

/// The host and port of a URL in the canonical spelling for comparison with host patterns.
///
/// The name is ASCII in lower case, without a trailing dot. Labels beyond ASCII have their `xn--` form, made from
/// lower-case letters in normalization form C. An IPv6 address is in brackets, in its shortest form. An IPv4 address
/// stays as it is written. User names and passwords are ignored.
package struct CanonicalHost: Sendable, Hashable {
    /// `api.example.com`, `192.0.2.1`, `[2001:db8::1]`.
    package let name: String
    /// The port; nil if it is the default of the scheme.
    package let port: Int?
    /// The port of the connection, written or default; nil if the URL has no port and the scheme has no default port.
    package let effectivePort: Int?

    /// The host of a URL; nil if it has none, an invalid one, as in `http://[www.example.com]/`, or a port above 65535.
    package init?(url: URL) {
        guard let host = url.host(percentEncoded: false), let name = HostName.canonical(host),
            HostName.hasReadableAuthority(url.absoluteString)
        else { return nil }
        self.init(name: name, port: url.port, defaultPort: Self.defaultPort(ofScheme: url.scheme))
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
        self.init(name: name, port: port, defaultPort: Self.defaultPort(ofScheme: "https"))
    }

    private init(name: String, port: Int?, defaultPort: Int?) {
        self.name = name
        self.port = port == defaultPort ? nil : port
        effectivePort = port ?? defaultPort
    }

    /// Whether the name is an address in any notation, and so has no subdomains.
    package var isAddress: Bool { HostName.isAddress(name) }

    private static func defaultPort(ofScheme scheme: String?) -> Int? {
        switch scheme.map(FieldByte.lowercased) {
        case "http": 80
        case "https": 443
        default: nil
        }
    }
}

extension CanonicalHost: CustomStringConvertible {
    /// `name`, or `name:port` if the port is not the default.
    package var description: String {
        if let port { "\(name):\(port)" } else { name }
    }
}
