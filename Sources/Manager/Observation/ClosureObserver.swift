/// An observer made of a closure.
public struct ClosureObserver: SessionObserver {
    private let body: @Sendable (SessionEvent) async -> Void

    /// - Parameter body: told of each event in order, one at a time.
    public init(_ body: @escaping @Sendable (SessionEvent) async -> Void) {
        self.body = body
    }

    /// Hands the event to the closure.
    public func observe(_ event: SessionEvent) async { await body(event) }
}
