public import PatchbayJSON
import PatchbayPlatform
public import PatchbayRegistry

/// The proxy between this machine and a host.
///
/// ```swift
/// configuration.connection.proxy = try ProxySettings("http://proxy.example:3128", except: ["*.internal.example"])
/// ```
public struct ProxySettings: Sendable, Hashable {
    package enum Use: Sendable, Hashable {
        case environment, never
        case url(String, user: String?, password: String?, except: [HostPattern])
    }

    package let use: Use

    /// The proxy that the environment names for a host: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as
    /// libcurl reads these variables.
    public static let environment = ProxySettings(use: .environment)
    /// No proxy, whatever the environment names.
    public static let none = ProxySettings(use: .never)

    private init(use: Use) { self.use = use }

    /// A proxy for all hosts except `hosts`. A SOCKS proxy looks up the names of hosts itself.
    /// - Parameters:
    ///   - url: `http://host:port`, `https://host:port` or `socks5://host:port`. A user name and a password in the URL
    ///     are used if `user` is nil.
    ///   - user: the user name for the proxy.
    ///   - password: the password for the proxy.
    ///   - hosts: the hosts that are connected to without the proxy.
    /// - Throws: `FormatFailure` if the URL has another scheme, no host, no port, or a path.
    public init(
        _ url: String, user: String? = nil, password: String? = nil, except hosts: [HostPattern] = []
    ) throws(FormatFailure) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.encodedHost, !host.isEmpty
        else { throw Self.refusal("is not a URL with a scheme and a host") }
        guard ["http", "https", "socks5"].contains(scheme) else {
            throw Self.refusal("has the scheme \(scheme); known are http, https and socks5")
        }
        guard let port = parts.port, (1...65535).contains(port) else { throw Self.refusal("has no port") }
        guard ["", "/"].contains(parts.percentEncodedPath), parts.query == nil, parts.fragment == nil else {
            throw Self.refusal("has a path, a query or a fragment")
        }
        use = .url(
            "\(scheme)://\(host):\(port)", user: user ?? parts.user, password: user == nil ? parts.password : password,
            except: hosts)
    }

    private static func refusal(_ reason: String) -> FormatFailure {
        FormatFailure("proxy", .malformed, "the URL of the proxy \(reason)")
    }
}

extension ProxySettings: CustomStringConvertible, CustomReflectable {
    /// The URL of the proxy, without user name and password.
    public var description: String {
        switch use {
        case .environment: "the proxy of the environment"
        case .never: "no proxy"
        case .url(let url, _, _, _): "the proxy \(url)"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
