/// When the steps of one exchange were over, each counted from its start; nil where a step did not happen or is not known.
public struct ExchangeTimings: Sendable, Hashable {
    public var nameLookup: Duration?
    public var connect: Duration?
    public var secureConnect: Duration?
    public var firstByte: Duration?
    public var total: Duration = .zero
    /// `"1.0"`, `"1.1"`, `"2"`, `"3"`; nil where the transport cannot tell.
    public var httpVersion: String?
    /// Whether a connection of an earlier exchange was used again; nil where the transport cannot tell.
    public var reusedConnection: Bool?

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
