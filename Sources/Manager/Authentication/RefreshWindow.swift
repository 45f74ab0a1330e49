/// How often a credential may be renewed: so many times in so long.
public struct RefreshWindow: Sendable, Hashable {
    public var interval: Duration
    public var maximumRefreshes: Int

    public init(interval: Duration = .seconds(30), maximumRefreshes: Int = 5) {
        self.interval = interval
        self.maximumRefreshes = maximumRefreshes
    }
}

extension RefreshWindow: CustomStringConvertible {
    /// `5 in 30.0 seconds`
    public var description: String { "\(maximumRefreshes) in \(interval)" }
}
