import PatchbayPlatform
import PatchbayRegistry

/// The buffer between a transport and the reader of a stream's elements. If the stream reconnects, the buffer gets one
/// response after the other.
///
/// A callback of the transport copies the bytes, and the reader takes one piece at a time. The number of waiting bytes
/// is limited: when the limit is reached, the sender waits.
final class StreamSink: BodySink {
    /// A response whose body is to be read, with the terms of its request.
    struct Opening: Sendable {
        let decision: Decision
        let terms: ResponseTerms
    }

    enum Next: Sendable {
        case bytes([UInt8])
        /// The head of the next response has arrived, and the reader has taken all bytes of the previous response.
        case head(Opening)
        /// The body has ended. The reader must call `goOn` with the position for the next response, or close the stream
        /// (`close`).
        case gap
        /// No more bytes come: the body is complete, or it failed.
        case end(SessionError?)
    }

    /// The transport, the task of the call and the reader use this state. No signal is fired while the lock is held.
    private struct State: Sendable {
        /// The response that the reader has not seen yet.
        var opening: Opening?
        var isOpen = false
        /// Ends the exchange; nil before the exchange begins.
        var stop: (@Sendable () -> Void)?
        /// The waiting bytes. The news signal fires for everything that the reader waits for, including the head.
        var mailbox: Mailbox
        /// Fires when the reader has given its position. Nil, except between two responses.
        var gap: OneShot?
        /// The position that the reader has given.
        var place: StreamPlace?
        /// The trailer fields or the error with which the call ended; nil before the call has ended.
        var end: Result<HeaderFields, SessionError>?
        /// Whether the reader has closed the stream.
        var isClosed = false
        /// The error of a reader that closed the stream because the received bytes were wrong; otherwise nil.
        var refusal: SessionError?

        mutating func takeGap() -> OneShot? {
            defer { gap = nil }
            return gap
        }

        mutating func takeNext() -> Next? {
            if let opening = takeOpening() { return .head(opening) }
            return mailbox.take().map { .bytes($0) } ?? ending
        }

        mutating func takeOpening() -> Opening? {
            guard stop != nil else { return nil }
            defer { opening = nil }
            return opening
        }

        /// The `Next` value after the last piece; nil if more bytes can come.
        private var ending: Next? {
            guard !isClosed else { return .end(nil) }
            guard gap == nil else { return .gap }
            switch end {
            case nil: return nil
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
        state = Guarded(State(mailbox: Mailbox(limit: limit)))
    }

    // MARK: Called by the transport

    /// Gets the decision about a response, before `open`.
    func accept(_ decision: Decision, _ terms: ResponseTerms) {
        state.letGo { state in
            let dropped = state.opening
            (state.opening, state.isOpen) = (Opening(decision: decision, terms: terms), true)
            return dropped
        }
    }

    func open(_ head: ResponseHead, _ resumption: Resumption, stop: @escaping @Sendable () -> Void) {
        let (news, dropped) = state.withLock { state -> (OneShot?, (@Sendable () -> Void)?) in
            defer { state.stop = stop }
            return (state.mailbox.takeNews(), state.stop)
        }
        withExtendedLifetime(dropped) {}
        news?.fire()
    }

    func append(_ bytes: UnsafeRawBufferPointer) -> TransportFlow {
        let (flow, news) = state.withLock { state -> (TransportFlow, OneShot?) in
            guard !state.isClosed else { return (.stop, nil) }
            if let room = state.mailbox.room(for: bytes.count) { return (.wait(room), nil) }
            state.mailbox.append(bytes)
            return (.proceed, state.mailbox.takeNews())
        }
        news?.fire()
        return flow
    }

    // MARK: The call

    var body: ResponseBody { .empty }

    /// Whether the elements of a response are being read, so that it is too late for a retry.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Whether the reader has closed the stream, so that an incomplete body does not matter.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The error of a reader that closed the stream because the received bytes were wrong; otherwise nil.
    var refusal: SessionError? { state.withLock(\.refusal) }

    /// The time at which the last wait for the reader ended, or the current time during a wait; nil if nothing waited
    /// for the reader. The idle timeout counts from this time.
    var rest: Moment? { state.withLock(\.mailbox.rest) }

    /// Called when a body has ended and another response can follow. Waits until the reader has read the whole body.
    /// - Returns: the position of the reader; nil if the reader has closed the stream.
    func gap() async -> StreamPlace? {
        let (gap, news) = state.withLock { state -> (OneShot?, OneShot?) in
            guard !state.isClosed else { return (nil, nil) }
            let gap = OneShot()
            state.gap = gap
            return (gap, state.mailbox.takeNews())
        }
        news?.fire()
        await gap?.fired()
        return state.withLock { state in
            defer { state.place = nil }
            return state.place
        }
    }

    /// Called when the call has ended.
    /// - Parameter result: the trailer fields, or the failure.
    func end(_ result: Result<HeaderFields, SessionError>) {
        let (news, gap) = state.withLock { state in
            (state.end, state.place) = (result, nil)
            return (state.mailbox.takeNews(), state.takeGap())
        }
        news?.fire()
        // Ends the wait in `gap()`.
        gap?.fire()
    }

    // MARK: The reader

    /// The trailer fields; nil before the body has ended.
    var trailers: HeaderFields? { state.withLock { try? $0.end?.get() } }

    /// Waits for a response whose elements can be read.
    /// - Returns: nil if the call ends without such a response.
    func opened() async -> Opening? {
        while true {
            let (opening, isOver, news) = state.withLock { state -> (Opening?, Bool, OneShot) in
                (state.takeOpening(), state.end != nil, state.mailbox.awaitNews())
            }
            if opening != nil || isOver { return opening }
            await news.fired()
        }
    }

    /// Waits for the next value to read. The bytes of the previous piece no longer count toward the limit.
    func next() async -> Next {
        while true {
            let (next, room, news) = state.withLock { state -> (Next?, OneShot?, OneShot) in
                let room = state.mailbox.free()
                return (state.takeNext(), room, state.mailbox.awaitNews())
            }
            room?.fire()
            if let next { return next }
            await news.fired()
        }
    }

    /// Called when the reader has read a whole body. The next response continues from `place`.
    func goOn(from place: StreamPlace) {
        let (gap, dropped) = state.withLock { state in
            defer { (state.place, state.isOpen, state.stop) = (place, false, nil) }
            return (state.takeGap(), state.stop)
        }
        withExtendedLifetime(dropped) {}
        gap?.fire()
    }

    /// Called when the reader needs no more bytes. Ends the exchange: normally, or with `refusal` if the bytes were
    /// wrong.
    func close(_ refusal: SessionError? = nil) {
        let (stop, room, news, gap, dropped) = state.withLock { state in
            let dropped = state.refusal
            state.isClosed = true
            state.refusal = refusal
            return (state.stop, state.mailbox.removeAll(), state.mailbox.takeNews(), state.takeGap(), dropped)
        }
        withExtendedLifetime(dropped) {}
        stop?()
        room?.fire()
        news?.fire()
        gap?.fire()
    }
}
