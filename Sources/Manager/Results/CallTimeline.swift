public import PatchbayPlatform

/// The times at which the steps of a call ended, counted from the start of the call, including redirects and retries.
///
/// A failed call has a timeline too: a step that it never reached has the time at which the call ended.
public struct CallTimeline: Sendable, Hashable {
    /// The wall-clock time at which the call began.
    public let start: Date
    /// The time at which the head of the final response had arrived and the registry had decided.
    public let head: Duration
    /// The time at which the last byte of the body had arrived.
    public let body: Duration
    /// The time at which the value was made, or at which it failed.
    public let serialized: Duration
    /// The time at which the call ended. After a failure, interceptors and the pause before a retry come before it.
    public let ended: Duration
    /// The steps of the last exchange, counted from the start of that exchange. If the call failed, these are the steps
    /// that the exchange reached.
    public let exchange: ExchangeTimings
    /// The exchanges of the redirects that were followed in the last attempt, in order, each counted from its own
    /// start.
    public let hops: [ExchangeTimings]
    /// The number of redirects followed in the last attempt.
    public let redirects: Int
    /// The number of retries.
    public internal(set) var retries: Int

    /// The timeline of a call that began at `start`. An omitted step took no time or did not happen.
    public init(
        start: Date = Date(), head: Duration = .zero, body: Duration = .zero, serialized: Duration = .zero,
        ended: Duration? = nil, exchange: ExchangeTimings = ExchangeTimings(), hops: [ExchangeTimings] = [],
        redirects: Int = 0, retries: Int = 0
    ) {
        self.start = start
        self.head = head
        self.body = body
        self.serialized = serialized
        self.ended = ended ?? serialized
        self.exchange = exchange
        self.hops = hops
        self.redirects = redirects
        self.retries = retries
    }
}

extension CallTimeline {
    /// The timeline of a call without a response.
    init(
        start: Date, ended: Duration, _ exchange: ExchangeTimings = ExchangeTimings(),
        after hops: [ExchangeTimings] = []
    ) {
        self.init(
            start: start, head: ended, body: ended, serialized: ended, exchange: exchange, hops: hops,
            redirects: hops.count, retries: 0)
    }
}

extension CallTimeline: CustomStringConvertible {
    /// `latency 0.120 s, request 0.131 s, serialization 0.002 s, total 0.133 s`
    public var description: String {
        let steps = [
            ("latency", head), ("request", body), ("serialization", serialized - body), ("total", ended),
        ]
        return steps.map { "\($0) \(Self.seconds($1)) s" }.joined(separator: ", ")
    }

    /// The seconds with three decimals, rounded to the nearest.
    static func seconds(_ duration: Duration) -> String {
        let thousandths = (duration.waitableNanoseconds + 500_000) / 1_000_000
        let fraction = "\(1_000 + thousandths % 1_000)".dropFirst()
        return "\(thousandths / 1_000).\(fraction)"
    }
}
