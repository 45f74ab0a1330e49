/// When the steps of one exchange were over, each counted from its start; nil where a step did not happen or is not known.
public struct ExchangeTimings: Sendable, Hashable {
    /// The name of the host was resolved.
    public var nameLookup: Duration?
    /// The connection was made; with a proxy, that to the proxy.
    public var connect: Duration?
    /// TLS was agreed on.
    public var secureConnect: Duration?
    /// The first byte of the response came.
    public var firstByte: Duration?
    /// The last one did, or the exchange failed.
    public var total: Duration = .zero
    /// `"1.0"`, `"1.1"`, `"2"`, `"3"`; nil where the transport cannot tell.
    public var httpVersion: String?
    /// Whether a connection of an earlier exchange was used again; nil where the transport cannot tell.
    public var reusedConnection: Bool?

    /// Nothing is known yet.
    public init() {}
}

extension ExchangeTimings: CustomStringConvertible {
    /// `name 0.012 s, connected 0.040 s, secure 0.081 s, first byte 0.120 s, total 0.131 s, HTTP/2, connection used again`
    public var description: String {
        let steps = [
            ("name", nameLookup), ("connected", connect), ("secure", secureConnect), ("first byte", firstByte),
            ("total", total),
        ]
        var parts = steps.compactMap { name, time in time.map { "\(name) \(Timeline.seconds($0)) s" } }
        if let httpVersion { parts.append("HTTP/\(httpVersion)") }
        if reusedConnection == true { parts.append("connection used again") }
        return parts.joined(separator: ", ")
    }
}
