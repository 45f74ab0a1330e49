import PatchbayPlatform
import PatchbayRegistry

/// The times at which the steps of one exchange ended, counted from its start, and facts about its connection. Nil if a
/// step did not happen or a fact is unknown.
public struct ExchangeTimings: Sendable, Hashable {
    /// The time at which the wait for a free connection ended (`ConnectionSettings.connectionsPerHost`); nil if the
    /// exchange did not wait.
    public var queue: Duration? {
        get { steps.queue.duration }
        set { steps.queue.duration = newValue }
    }
    /// The time at which the host name was resolved.
    public var nameLookup: Duration? {
        get { steps.nameLookup.duration }
        set { steps.nameLookup.duration = newValue }
    }
    /// The time at which the connection was made; with a proxy, the connection to the proxy.
    public var connect: Duration? {
        get { steps.connect.duration }
        set { steps.connect.duration = newValue }
    }
    /// The time at which the TLS handshake ended.
    public var secureConnect: Duration? {
        get { steps.secureConnect.duration }
        set { steps.secureConnect.duration = newValue }
    }
    /// The time at which the request was sent with its body. Without a body, the time at which sending began.
    public var requestSent: Duration? {
        get { steps.requestSent.duration }
        set { steps.requestSent.duration = newValue }
    }
    /// The time at which the first byte of the response arrived.
    public var firstByte: Duration? {
        get { steps.firstByte.duration }
        set { steps.firstByte.duration = newValue }
    }
    /// The time at which the last byte arrived, or at which the exchange failed.
    public var total: Duration = .zero
    /// The version of HTTP: `"1.0"`, `"1.1"`, `"2"`, `"3"`; nil if the transport can't tell.
    public var httpVersion: String?
    /// Whether a connection of an earlier exchange was used again; nil if the transport can't tell.
    public var reusedConnection: Bool?
    /// The IP address of the host, or of the proxy.
    public var remoteAddress: String? {
        get { connection?.address }
        set { connection = Connection(newValue, remotePort, tlsVersion, cacheStatus) }
    }
    /// The port at `remoteAddress`.
    public var remotePort: Int? {
        get { connection?.port }
        set { connection = Connection(remoteAddress, newValue, tlsVersion, cacheStatus) }
    }
    /// The version of TLS, as in `"TLSv1.3"`.
    public var tlsVersion: String? {
        get { connection?.tlsVersion }
        set { connection = Connection(remoteAddress, remotePort, newValue, cacheStatus) }
    }
    /// How the cache of the manager handled the request; nil without a cache.
    package var cacheStatus: CacheStatus? {
        get { connection?.cacheStatus }
        set { connection = Connection(remoteAddress, remotePort, tlsVersion, newValue) }
    }
    private var steps = Steps()
    private var connection: Connection?

    private struct Steps: Hashable {
        var queue = Step()
        var nameLookup = Step()
        var connect = Step()
        var secureConnect = Step()
        var requestSent = Step()
        var firstByte = Step()
    }

    /// A duration or nil in 8 bytes instead of 24, because the timings are copied from step to step of a call.
    private struct Step: Hashable {
        private var nanoseconds = Int64.min

        var duration: Duration? {
            get { nanoseconds == .min ? nil : .nanoseconds(nanoseconds) }
            set {
                nanoseconds = newValue?.waitableNanoseconds ?? .min
            }
        }
    }

    /// Facts about the connection, or about the cache instead of it. A class, because the timings are copied.
    private final class Connection: Sendable, Hashable {
        let address: String?
        let port: Int?
        let tlsVersion: String?
        let cacheStatus: CacheStatus?

        /// Returns nil if all facts are unknown.
        init?(_ address: String?, _ port: Int?, _ tlsVersion: String?, _ cacheStatus: CacheStatus?) {
            guard address != nil || port != nil || tlsVersion != nil || cacheStatus != nil else { return nil }
            (self.address, self.port, self.tlsVersion, self.cacheStatus) = (address, port, tlsVersion, cacheStatus)
        }

        static func == (one: Connection, other: Connection) -> Bool {
            (one.address, one.port, one.tlsVersion, one.cacheStatus)
                == (other.address, other.port, other.tlsVersion, other.cacheStatus)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(address)
            hasher.combine(port)
            hasher.combine(tlsVersion)
            hasher.combine(cacheStatus)
        }
    }

    /// Whether the response was complete before the body of the request was sent. The remaining bytes of that body were
    /// not sent.
    package var leftBody = false
    /// A step that the times don't tell.
    package enum OpenStep: Sendable {
        /// The wait for a proxy that connects to the host.
        case tunnel
        case handshake
    }

    /// The step that had not ended when the exchange ended; nil for every other step.
    package var openStep: OpenStep?

    /// Creates timings without any step and without facts.
    public init() {}

    /// Sets all facts about the connection at once.
    package mutating func setConnection(address: String?, port: Int?, tlsVersion: String?) {
        connection = Connection(address, port, tlsVersion, cacheStatus)
    }
}

extension ExchangeTimings: CustomStringConvertible {
    /// `name 0.012 s, connected 0.040 s, secure 0.081 s, sent 0.082 s, first byte 0.120 s, total 0.131 s, HTTP/2,
    /// TLSv1.3, 192.0.2.7:443, connection used again`
    public var description: String {
        let steps = [
            ("queue", queue), ("name", nameLookup), ("connected", connect), ("secure", secureConnect),
            ("sent", requestSent), ("first byte", firstByte), ("total", total),
        ]
        var parts = steps.compactMap { name, time in time.map { "\(name) \(CallTimeline.seconds($0)) s" } }
        if let httpVersion { parts.append("HTTP/\(httpVersion)") }
        if let tlsVersion { parts.append(tlsVersion) }
        if let remoteAddress {
            let address = remoteAddress.contains(":") ? "[\(remoteAddress)]" : remoteAddress
            parts.append(address + (remotePort.map { ":\($0)" } ?? ""))
        }
        if reusedConnection == true { parts.append("connection used again") }
        return parts.joined(separator: ", ")
    }
}

extension ExchangeTimings {
    /// Whether the request was sent, and no byte of a response has arrived.
    var isUnanswered: Bool { requestSent != nil && firstByte == nil }

    /// The step that had not ended when the exchange ended, as a clause; nil if the transport doesn't report steps, or
    /// if the body of the response was arriving.
    var openClause: String? {
        guard let reusedConnection, firstByte == nil else { return nil }
        if requestSent != nil { return "the request was sent, and no answer had come" }
        switch openStep {
        case .handshake?: return "the TLS handshake was not over"
        case .tunnel?: return "the proxy had made no connection to the host"
        case nil: break
        }
        if reusedConnection || connect != nil { return "the request was being sent" }
        return nameLookup == nil ? "the name of the host was being looked up" : "the connection was being made"
    }
}
