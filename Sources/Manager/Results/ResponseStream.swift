import PatchbayPlatform
public import PatchbayRegistry

/// The elements of one response, one by one, while the bytes arrive; where it is to be reconnected (`EventReconnection`), those of the
/// responses that it goes on in too.
///
/// It can be read once: a second loop has the error `alreadyRead`, unless the first has come to the end. Its elements are found and
/// decoded when they are asked for, on the concurrent executor; a reader that is slower than the server makes the server wait
/// (`SessionConfiguration.maximumWaitingStreamBytes`). Whoever leaves the loop, cancels its task or lets go of the sequence ends the
/// exchange; a task that is cancelled gets the error that says so, and none of the elements that wait.
public struct ResponseStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = SessionError

    private let source: ElementSource<Element>

    init(_ source: ElementSource<Element>) { self.source = source }

    /// Who finds the elements, and who was asked before; of a stream that was reconnected, in its last response.
    public var decision: Decision { source.decision }
    /// The head of the last response: another one after each reconnection.
    public var head: ResponseHead { source.decision.head }
    /// The fields behind the body of the last response (RFC 9110, section 6.5), once the stream has ended; nil before.
    public var trailers: HeaderFields? { source.trailers }
    /// How many elements were passed over so far because they could not be read, where an option of the entry allows that.
    public var skippedElements: Int { source.skippedElements }
    /// The id of the last server-sent event that the reader was given, or of one behind it that had nothing to give, as one without data:
    /// what a request that goes on from there sends as `Last-Event-ID`. It is that of the request before the first, empty where there is
    /// none, and nil where the elements are no such events.
    public var lastEventID: String? { source.position?.lastEventID }
    /// How long the server last asked to wait before the stream is asked for again (the field `retry` of its events); nil where it has not,
    /// and where the elements are no server-sent events.
    public var reconnectionTime: Duration? { source.position?.reconnectionTime }
    /// The call, which lasts as long as its exchange, or the last of them.
    public var task: SessionTask { source.task }

    /// The elements that nobody has read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Ends the exchange when the iterator is gone.
        private final class Reading {
            let source: ElementSource<Element>
            /// Whether no other has begun to read before.
            let isFirst: Bool

            init(_ source: ElementSource<Element>) {
                self.source = source
                isFirst = source.beginReading()
            }

            deinit { if isFirst { source.leave() } }
        }

        private let reading: Reading
        /// Those that came together, the last first.
        private var elements: [Element] = []

        init(_ source: ElementSource<Element>) { reading = Reading(source) }

        /// The next element; nil at the end of the response.
        /// - Throws: `SessionError` for what went wrong behind the elements before.
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
    /// What was asked and the status: `GET example.com/a: 200, elements of Event`.
    public var description: String { source.description }
    public var customMirror: Mirror { Mirror(self, children: ["head": head], displayStyle: .struct) }
}

extension ResponseStream.AsyncIterator: CustomStringConvertible, CustomReflectable {
    /// What is written of its stream: elements that were not read yet do not show.
    public var description: String { reading.source.description }
    public var customMirror: Mirror { Mirror(described: self) }
}
