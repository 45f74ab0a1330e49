import PatchbayPlatform
import PatchbayRegistry

/// The bytes of a stream between its transport and the reader of its elements. If the stream reconnects, they are those
/// of one response after the other.
final class StreamBody: BodySink {
    /// A response whose body is to be read, with the terms of its request.
    typealias Opening = (decision: Decision, terms: ResponseTerms)

    enum Next: Sendable {
        case bytes([UInt8])
        /// The head of the next response has arrived, and the reader has taken all bytes of the previous response.
        case head(Opening)
        /// The body has ended. The reader must call `goOn` with the position for the next response, or close the stream
        /// (`close`).
        case gap
        /// No more bytes come: the body is complete, or it failed. A reader that has read a complete body closes the stream.
        case end(SessionError?)
        /// The reader has closed the stream, and its call has ended if the body was complete.
        case over
    }

    /// The transport, the task of the call and the reader use this state.
    private struct State: Sendable {
        /// The waiting bytes. Its reader is woken by everything that the reader waits for, including the head.
        var pipe: BodyPipe<SessionError>
        /// The response that the reader has not seen yet.
        var opening: Opening?
        var isOpen = false
        /// Fires when the reader has given its position, or has closed the stream. The call waits for it between two
        /// responses, and after the last one; nil at any other time.
        var gap: OneShot?
        /// The position that the reader has given.
        var place: StreamPlace?
        var hasEnded = false

        mutating func takeNext(_ wakes: inout Wakes) -> Next? {
            if let opening = opening.take() { return .head(opening) }
            if let bytes = pipe.take(&wakes) { return .bytes(bytes) }
            if pipe.isClosed {
                if case .success? = pipe.end, !hasEnded { return nil }
                return .over
            }
            switch pipe.end {
            case nil: return gap == nil ? nil : .gap
            case .success: return .end(nil)
            case .failure(let error): return .end(error)
            }
        }
    }

    /// The rules for reconnecting; nil if the stream never reconnects.
    let reconnection: EventReconnection?
    private let state: Guarded<State>

    /// - Parameter limit: the limit of bytes that wait to be read. A chunk larger than the limit can wait alone.
    init(limit: Int, _ reconnection: EventReconnection? = nil) {
        self.reconnection = reconnection
        state = Guarded(State(pipe: BodyPipe(limit: limit)))
    }

    // MARK: Called by the transport

    /// Gives the reader a response whose body follows.
    func open(_ opening: Opening, stop: OneShot) {
        let unseen = state.waking { state, wakes in
            defer { (state.opening, state.isOpen) = (opening, true) }
            state.pipe.open(stop: stop, &wakes)
            return state.opening
        }
        withExtendedLifetime(unseen) {}
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow { state.waking { $0.pipe.write(bytes, &$1) } }

    // MARK: The call

    /// Whether the elements of a response are being read, so that it is too late for a retry.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Whether the reader has closed the stream, so that an incomplete body does not matter.
    var isClosed: Bool { state.withLock(\.pipe.isClosed) }

    /// The error of a reader that closed the stream because the received bytes were wrong; otherwise nil.
    var refusal: SessionError? { state.withLock(\.pipe.refusal) }

    /// The time at which the last wait for the reader ended, or the current time during a wait; nil if nothing waited
    /// for the reader. The idle timeout counts from this time.
    var heldUntil: Moment? { state.withLock(\.pipe.heldUntil) }

    /// Called when a body has ended and another response can follow. Waits until the reader has read the whole body.
    /// - Returns: the position of the reader; nil if the reader has closed the stream.
    func gap() async -> StreamPlace? {
        let gap = state.waking { state, wakes -> OneShot? in
            guard !state.pipe.isClosed, !state.hasEnded else { return nil }
            state.pipe.wakeReader(&wakes)
            state.gap = OneShot()
            return state.gap
        }
        await gap?.fired()
        return state.withLock { $0.place.take() }
    }

    /// Called when the last body is complete. Gives the reader its end.
    /// - Returns: a signal that fires when the reader closes the stream; nil if the stream is closed.
    func complete(_ trailers: HeaderFields) -> OneShot? {
        state.waking { state, wakes in
            state.pipe.finish(.success(trailers), &wakes)
            guard !state.pipe.isClosed else { return nil }
            state.gap = OneShot()
            return state.gap
        }
    }

    /// Called when the call has ended. Ends the wait in `gap()`.
    /// - Parameter result: the trailer fields, or the failure.
    func end(_ result: Result<HeaderFields, SessionError>) {
        state.waking { state, wakes in
            (wakes.own, state.place, state.hasEnded) = (state.gap.take(), nil, true)
            state.pipe.finish(result, &wakes)
        }
    }

    // MARK: The reader

    /// The trailer fields; nil before the body has ended.
    var trailers: HeaderFields? { state.withLock { try? $0.pipe.end?.get() } }

    /// Waits for a response whose elements can be read.
    /// - Returns: nil if the call ends without such a response.
    func opened() async -> Opening? {
        if case .head(let opening) = await next() { opening } else { nil }
    }

    /// Waits for the next value to read. The bytes of the previous piece no longer count toward the limit.
    func next() async -> Next {
        while true {
            let (next, news) = state.waking { ($0.takeNext(&$1), $0.pipe.awaitNews()) }
            if let next { return next }
            await news.fired()
        }
    }

    /// Called when the reader has read a whole body. The next response continues from `place`.
    func goOn(from place: StreamPlace) {
        state.waking { state, wakes in
            (state.place, state.isOpen, wakes.own) = (place, false, state.gap.take())
        }
    }

    /// Called when the reader reads no more, before the end of the elements. Closes the stream if the last body is
    /// complete.
    /// - Returns: whether the last body is complete. If it is not, the caller must cancel the call.
    func leave() -> Bool {
        guard trailers != nil else { return false }
        close()
        return true
    }

    /// Called when the reader needs no more bytes. Ends the exchange: normally, or with `refusal` if the bytes were
    /// wrong.
    func close(_ refusal: SessionError? = nil) {
        state.waking { state, wakes in
            wakes.own = state.gap.take()
            state.pipe.close(with: refusal, &wakes)
        }
    }
}
