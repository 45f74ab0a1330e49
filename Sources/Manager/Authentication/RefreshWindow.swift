/// How often a credential may be renewed: so many times in so long.
public struct RefreshWindow: Sendable, Hashable {
    /// How far back renewals are counted.
    public var interval: Duration
    /// How many there may be in that time; one more fails the call.
    public var maximumRefreshes: Int

    /// As it stands, five times in thirty seconds.
    public init(interval: Duration = .seconds(30), maximumRefreshes: Int = 5) {
        self.interval = interval
        self.maximumRefreshes = maximumRefreshes
    }
}

extension RefreshWindow: CustomStringConvertible {
    /// `5 in 30.0 seconds`
    public var description: String { "\(maximumRefreshes) in \(interval)" }
}
