/// A sequence that is made again each time somebody iterates over it.
public struct Anew<Base: AsyncSequence>: AsyncSequence, Sendable {
    private let make: @Sendable () -> Base

    public init(_ make: @escaping @Sendable () -> Base) { self.make = make }

    public func makeAsyncIterator() -> Base.AsyncIterator { make().makeAsyncIterator() }
}
