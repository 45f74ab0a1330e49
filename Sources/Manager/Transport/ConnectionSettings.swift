import PatchbayPlatform
import PatchbayRegistry

/// How the connections to a host are secured, and how many there may be.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.connection.tls = TLSSettings(certificateAuthorities: "/etc/ssl/ours.pem")
/// configuration.connectionByHost["*.lab.example"] = ConnectionSettings(connectionsPerHost: 2)
/// ```
///
/// A transport that can't apply a setting fails the call with `TransportFailure.Code.unsupportedRequest`.
public struct ConnectionSettings: Sendable, Hashable {
    /// How the host proves its identity over https; nil refuses https.
    public var tls: TLSSettings?
    /// How many connections to one host and port may be in use at once, 1 at least; nil: the transport's own limit, which is 64 for
    /// `CurlTransport`. A stream takes a connection for as long as it lasts, and so does each exchange over HTTP/1.1; exchanges over
    /// HTTP/2 share connections. Exchanges beyond the limit wait in the order in which they were made, each no longer than its idle
    /// timeout. Where managers with different limits share a transport, the limit of the latest call to a host counts.
    public var connectionsPerHost: Int?

    /// Settings whose other parts are the defaults.
    public init(tls: TLSSettings? = TLSSettings(), connectionsPerHost: Int? = nil) {
        self.tls = tls
        self.connectionsPerHost = connectionsPerHost
    }
}

/// Connection settings that many requests share, each for the price of one reference.
package final class SharedConnection: Sendable {
    package let settings: ConnectionSettings

    package static let standard = SharedConnection(ConnectionSettings())

    package init(_ settings: ConnectionSettings) { self.settings = settings }
}

/// The connection settings of a manager, which are looked up by the host of each exchange.
struct ConnectionTable: Sendable {
    private let standard: SharedConnection
    /// The most specific pattern first.
    private let byHost: [(pattern: HostPattern, connection: SharedConnection)]

    init(_ configuration: SessionConfiguration) {
        standard = SharedConnection(configuration.connection)
        byHost = configuration.connectionByHost.map { ($0.key, SharedConnection($0.value)) }
            .sorted { $0.pattern.specificity > $1.pattern.specificity }
    }

    /// The settings of the most specific pattern that matches the host; without one, those for all hosts. All spellings of an IPv4
    /// address are one host: no spelling gets round the settings.
    func connection(to host: CanonicalHost) -> SharedConnection {
        guard !byHost.isEmpty else { return standard }
        let decimal = host.decimalAddress.flatMap { CanonicalHost("\($0):\(host.effectivePort ?? 0)") }
        return byHost.first { $0.pattern.matches(decimal ?? host) }?.connection ?? standard
    }
}

extension CanonicalHost {
    /// The IPv4 address, which may be written in any notation, in four decimal numbers (WHATWG URL, section 3.5); nil for any other
    /// host.
    package var decimalAddress: String? {
        var address = in_addr()
        guard isAddress, !name.hasPrefix("["), inet_aton(name, &address) != 0 else { return nil }
        // INET_ADDRSTRLEN: three digits four times, three dots and a NUL.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { text in
            guard let base = text.baseAddress else { return nil }
            return inet_ntop(AF_INET, &address, base, socklen_t(text.count)).map { String(cString: $0) }
        }
    }
}
