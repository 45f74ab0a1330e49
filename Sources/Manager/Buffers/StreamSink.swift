import PatchbayPlatform
import PatchbayRegistry

/// The bytes of one response on their way to the reader of its elements. If the stream reconnects, the responses follow
/// one after the other.
///
/// The bytes are copied in a turn of the transport, and the reader takes a piece at a time. A limited number may wait;
/// then the sender waits.
final class StreamSink: BodySink {
    /// A response whose body is to be read, with the terms of its request.
    struct Opening: Sendable {
        let decision: Decision
        let terms: ResponseTerms
    }

    enum Next: Sendable {
        case bytes([UInt8])
        /// The next response has a head, and all bytes of the previous one were taken.
        case head(Opening)
        /// The body has ended. The reader must answer with the position for another response (`goOn`), or close the
        /// stream (`close`).
        case gap
        /// No more bytes come: the body is complete, or it failed.
        case end(SessionError?)
    }

    /// Used by the turn of the transport, the task of the call and the reader. No signal is fired while it is locked.
    private struct State: Sendable {
        /// The response that the reader has not seen yet.
        var opening: Opening?
        var isOpen = false
        /// Ends the exchange; nil before it begins.
        var stop: (@Sendable () -> Void)?
        /// Its news signal fires for everything that the reader waits for, including the head.
        var mailbox: Mailbox
        /// Fires when the reader has given its position between two responses; otherwise nil.
        var gap: OneShot?
        /// The position that the reader has given.
        var place: StreamPlace?
        /// The end of the call; nil before it.
        var end: Result<HeaderFields, SessionError>?
        /// Whether the reader wants no more.
        var isClosed = false
        /// The reason, if the received bytes were wrong.
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

        /// The next thing to read after the last piece; nil if more may come.
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

    /// When the stream reconnects; nil for never.
    let reconnection: EventReconnection?
    private let state: Guarded<State>

    /// - Parameter limit: the limit of bytes that wait to be read. A larger chunk of the transport may wait alone.
    init(limit: Int, _ reconnection: EventReconnection? = nil) {
        self.reconnection = reconnection
        state = Guarded(State(mailbox: Mailbox(limit: limit)))
    }

    // MARK: The turn of the transport

    /// Gets the decision about the response, before its body is opened.
    func accept(_ decision: Decision, _ terms: ResponseTerms) {
        state.letGo { state in
            let dropped = state.opening
            (state.opening, state.isOpen) = (Opening(decision: decision, terms: terms), true)
            return dropped
        }
    }

    func open(_ head: ResponseHead, stop: @escaping @Sendable () -> Void) -> Int {
        let (news, dropped) = state.withLock { state -> (OneShot?, (@Sendable () -> Void)?) in
            defer { state.stop = stop }
            return (state.mailbox.takeNews(), state.stop)
        }
        withExtendedLifetime(dropped) {}
        news?.fire()
        return 0
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

    /// Whether the reader wants no more, so that a missing rest of the body does not matter.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The reason that the reader wants no more, if the received bytes were wrong.
    var refusal: SessionError? { state.withLock(\.refusal) }

    /// The time until which the reader was waited for, so that no byte was expected; nil if it never was.
    var rest: ContinuousClock.Instant? { state.withLock(\.mailbox.rest) }

    /// The body has ended, and another one may follow: waits until the reader has read all of it.
    /// - Returns: the position of the reader; nil if it wants no more.
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

    /// The call has ended.
    /// - Parameter result: the trailer fields, or the failure.
    func end(_ result: Result<HeaderFields, SessionError>) {
        let (news, gap) = state.withLock { state in
            (state.end, state.place) = (result, nil)
            return (state.mailbox.takeNews(), state.takeGap())
        }
        news?.fire()
        // No one waits for the reader any more.
        gap?.fire()
    }

    // MARK: The reader

    /// The trailer fields after the end of the body; nil before.
    var trailers: HeaderFields? { state.withLock { try? $0.end?.get() } }

    /// Waits for a response whose elements can be read.
    /// - Throws: the reason that there is none.
    func opened() async throws(SessionError) -> Opening {
        while true {
            let (opening, end, news) = state.withLock {
                state -> (Opening?, Result<HeaderFields, SessionError>?, OneShot) in
                (state.takeOpening(), state.end, state.mailbox.awaitNews())
            }
            if let opening { return opening }
            if let end {
                _ = try end.get()
                throw SessionError(.noHead)
            }
            await news.fired()
        }
    }

    /// Waits for the next thing to read. Frees the room of the previous piece.
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

    /// The reader has read a whole body, and gives its position for the next one.
    func goOn(from place: StreamPlace) {
        let (gap, dropped) = state.withLock { state in
            defer { (state.place, state.isOpen, state.stop) = (place, false, nil) }
            return (state.takeGap(), state.stop)
        }
        withExtendedLifetime(dropped) {}
        gap?.fire()
    }

    /// The reader wants no more, and the exchange ends: normally, or because the bytes were wrong.
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
