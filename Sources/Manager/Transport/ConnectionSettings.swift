import PatchbayPlatform
import PatchbayRegistry

/// How a transport reaches a host, how its connections are secured, and how many connections are allowed.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.connection.connectTimeout = .seconds(3)
/// configuration.connection.tls = TLSSettings(certificateAuthorities: "/etc/ssl/ours.pem")
/// configuration.connectionByHost["docker.local"] = ConnectionSettings(unixSocket: "/var/run/docker.sock")
/// ```
///
/// A transport that can't apply a setting fails the call with `TransportFailure.Code.unsupportedRequest`.
public struct ConnectionSettings: Sendable, Hashable {
    /// How the host proves its identity over https. If nil, https is refused.
    public var tls: TLSSettings?
    /// The number of connections to one host and port that can be in use at once, at least 1. If nil, the limit of the
    /// transport applies, which is 64 for `CurlTransport`. A stream uses one connection as long as it lasts, and so
    /// does each exchange over HTTP/1.1; exchanges over HTTP/2 share connections. Exchanges beyond the limit wait in
    /// the order in which they reach the transport, each at most its idle timeout. If managers with different limits
    /// share a transport, the limit of the latest call to a host applies.
    public var connectionsPerHost: Int?
    /// The time for the name look-up, the connection and the TLS handshake together. If nil, there is no limit. When
    /// this time has passed, the exchange fails with `TransportFailure.Code.connectTimeout` or `.tlsTimeout`. The time
    /// does not include the wait for a free connection. `URLSessionTransport` counts it in another way, which is
    /// described there.
    public var connectTimeout: Duration?
    /// The proxy; by default the proxy that the environment names for the host.
    public var proxy: ProxySettings
    /// The path of a Unix domain socket, of at most 107 bytes. The transport connects to the socket instead of the
    /// host, without a proxy. The URL still gives the `Host` field and the path. A redirect leads to such a host only
    /// if it came over a Unix socket, too.
    public var unixSocket: String?
    /// The address to connect to instead of the host and port of the URL: `host`, `host:port` or `[IPv6]:port`. TLS and
    /// the `Host` field still use the host of the URL.
    public var address: String?
    /// The only version of IP that is used. If nil, both versions are used.
    public var ipVersion: IPVersion?
    /// The versions of HTTP that are allowed.
    public var http: HTTPVersions
    /// The age from which a connection is not used for new exchanges, in whole seconds, rounded up. A new connection
    /// uses the current addresses of the host. If nil, the age is not limited.
    public var maximumConnectionAge: Duration?
    /// The time without an exchange after which a connection is not used again, in whole seconds, rounded up. If nil,
    /// the time of the transport applies, which is about two minutes for libcurl.
    public var idleConnectionAge: Duration?

    /// A version of the Internet Protocol.
    public enum IPVersion: Sendable, Hashable {
        case v4, v6
    }

    /// Versions of HTTP.
    public enum HTTPVersions: Sendable, Hashable {
        /// HTTP/2 over https if the host offers it, otherwise HTTP/1.1.
        case automatic
        /// HTTP/1.1 alone.
        case http1
        /// HTTP/2 alone, over http too, with hosts that are known to support HTTP/2 (RFC 9113, section 3.3). Streams
        /// and downloads use HTTP/2 as well. A paused stream or download then takes up to 32 MiB of memory in libcurl
        /// before 8.23. With libcurl before 8.1, each exchange has a connection of its own.
        case http2
    }

    /// The default settings, except for the given settings.
    /// - Parameters:
    ///   - tls: how the host proves its identity over https; nil refuses https.
    ///   - connectionsPerHost: the limit of connections to one host and port; nil for the limit of the transport.
    ///   - connectTimeout: the time for name look-up, connection and TLS handshake; nil for no limit.
    ///   - proxy: the proxy.
    ///   - unixSocket: the path of a Unix domain socket to connect to.
    ///   - address: the address to connect to instead of the host of the URL.
    ///   - ipVersion: the only version of IP; nil for both versions.
    ///   - http: the versions of HTTP.
    ///   - maximumConnectionAge: the age from which a connection is not used for new exchanges; nil for no limit.
    ///   - idleConnectionAge: the time after which an idle connection is not used again; nil for the time of the
    ///     transport.
    public init(
        tls: TLSSettings? = TLSSettings(), connectionsPerHost: Int? = nil, connectTimeout: Duration? = .seconds(10),
        proxy: ProxySettings = .environment, unixSocket: String? = nil, address: String? = nil,
        ipVersion: IPVersion? = nil, http: HTTPVersions = .automatic, maximumConnectionAge: Duration? = nil,
        idleConnectionAge: Duration? = nil
    ) {
        self.tls = tls
        self.connectionsPerHost = connectionsPerHost
        self.connectTimeout = connectTimeout
        self.proxy = proxy
        self.unixSocket = unixSocket
        self.address = address
        self.ipVersion = ipVersion
        self.http = http
        self.maximumConnectionAge = maximumConnectionAge
        self.idleConnectionAge = idleConnectionAge
    }
}

/// Connection settings that many requests share. A class, so that each request copies one reference.
package final class SharedConnection: Sendable {
    package let settings: ConnectionSettings

    package static let standard = SharedConnection(ConnectionSettings())

    package init(_ settings: ConnectionSettings) { self.settings = settings }
}

/// The connection settings of a manager, looked up by the host of each exchange.
struct ConnectionTable: Sendable {
    private let standard: SharedConnection
    /// The most specific pattern first.
    private let byHost: [(pattern: HostPattern, connection: SharedConnection)]

    init(_ configuration: SessionConfiguration) {
        standard = SharedConnection(configuration.connection)
        byHost = configuration.connectionByHost.map { ($0.key, SharedConnection($0.value)) }
            .inOrder { $0.pattern.specificity > $1.pattern.specificity }
    }

    /// The settings of the most specific pattern that matches the host. Without such a pattern, the settings for all
    /// hosts. All spellings of an address count as one host, also in a pattern: an IPv4 address in any notation or
    /// inside an IPv6 address, and an IPv6 address with any zone.
    func connection(to host: CanonicalHost) -> SharedConnection {
        byHost.first { $0.pattern.matches(host) }?.connection ?? standard
    }
}
