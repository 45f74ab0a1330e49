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
