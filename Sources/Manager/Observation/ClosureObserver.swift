/// An observer made of a closure.
public struct ClosureObserver: SessionObserver {
    private let body: @Sendable (SessionEvent) async -> Void

    public init(_ body: @escaping @Sendable (SessionEvent) async -> Void) {
        self.body = body
    }

    public func observe(_ event: SessionEvent) async { await body(event) }
}
