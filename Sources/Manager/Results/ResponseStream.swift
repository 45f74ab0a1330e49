import PatchbayPlatform
public import PatchbayRegistry

/// The elements of one response, one by one, while the bytes arrive. With `EventReconnection`, the elements of the
/// responses after each reconnection follow.
///
/// A stream can be read only one time: a second loop gets the error `alreadyRead`, unless the first loop has read all
/// elements. Elements are found and decoded when the loop requests them, on the concurrent executor. A reader that is
/// slower than the server makes the server wait (`SessionConfiguration.maximumWaitingStreamBytes`). Leaving the loop,
/// cancelling its task or releasing the sequence ends the exchange. A cancelled task gets the error `cancelled`, and
/// none of the waiting elements.
public struct ResponseStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = SessionError

    private let source: ElementSource<Element>

    init(_ source: ElementSource<Element>) { self.source = source }

    /// The decision about the response: the entry that finds the elements, and the entries that were considered before
    /// it. For a reconnected stream, this is the decision about the last response.
    public var decision: Decision { source.decision }
    /// The head of the last response; each reconnection replaces it.
    public var head: ResponseHead { source.decision.head }
    /// The trailer fields of the last response (RFC 9110, section 6.5); nil before the stream has ended.
    public var trailers: HeaderFields? { source.trailers }
    /// The number of elements skipped so far because they could not be read, if an option of the entry allows that.
    public var skippedElements: Int { source.skippedElements }
    /// The id of the last server-sent event that the reader got, or of a later event without an element, such as an
    /// event without data. A request that continues after that event sends this id as `Last-Event-ID`. Before the first
    /// event, this is the id that the request sent, or empty if the request sent no id. Nil if the elements are not
    /// server-sent events.
    public var lastEventID: String? { source.position?.lastEventID }
    /// The delay before a reconnection that the server last set (the field `retry` of its events). Nil if the server
    /// has not sent this field, or if the elements are not server-sent events.
    public var reconnectionTime: Duration? { source.position?.reconnectionTime }
    /// The task of the call, which lasts until the elements are read or the stream is left.
    public var task: SessionTask { source.task }

    /// Makes an iterator over the elements that were not read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Ends the exchange when the iterator is released.
        private final class Reading {
            let source: ElementSource<Element>
            /// Whether no other reader began before.
            let isFirst: Bool

            init(_ source: ElementSource<Element>) {
                self.source = source
                isFirst = source.beginReading()
            }

            deinit { if isFirst { source.leave() } }
        }

        private let reading: Reading
        /// The elements that arrived together, in reverse order.
        private var elements: [Element] = []

        init(_ source: ElementSource<Element>) { reading = Reading(source) }

        /// The next element; nil at the end of the response.
        /// - Throws: `SessionError` if the stream fails, after all elements that precede the failure.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(SessionError) -> Element? {
            let source = reading.source
            if elements.isEmpty {
                guard reading.isFirst else { return try source.readAgain() }
                elements = try await concurrently { () async throws(SessionError) in try await source.more() }
                elements.reverse()
            }
            guard let element = elements.popLast() else { return nil }
            if elements.count % 64 == 63 { await giveWay() }
            guard !Task.isCancelled else {
                elements = []
                throw source.cancel()
            }
            source.position?.give()
            return element
        }
    }
}

extension ResponseStream: CustomStringConvertible, CustomReflectable {
    /// The request, the status and the type of the elements: `GET example.com/a: 200, elements of Event`.
    public var description: String { source.description }
    public var customMirror: Mirror { Mirror(self, children: ["head": head], displayStyle: .struct) }
}

extension ResponseStream.AsyncIterator: CustomStringConvertible, CustomReflectable {
    /// The description of its stream. Elements that were not read yet are not shown.
    public var description: String { reading.source.description }
    public var customMirror: Mirror { Mirror(described: self) }
}
