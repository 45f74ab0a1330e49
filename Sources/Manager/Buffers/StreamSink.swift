import PatchbayPlatform
import PatchbayRegistry

/// The bytes of one response on their way to whoever reads its elements; where a stream is asked for again, those of one response
/// after the other.
///
/// They are copied where they come, in a turn of the transport, and taken a piece at a time by the reader. So many may wait; then
/// the sender has to.
final class StreamSink: BodySink {
    /// A response whose body is to be read, and what its request says of it.
    struct Opening: Sendable {
        let decision: Decision
        let terms: ResponseTerms
    }

    enum Next: Sendable {
        case bytes([UInt8])
        /// The next response has a head, and nothing of the one before is left.
        case head(Opening)
        /// The body is over, and where it can be asked for again is to be said (`goOn`), or that it cannot (`close`).
        case gap
        /// No more will come, because the body is complete, or because of the failure.
        case end(SessionError?)
    }

    /// Touched by the turn of the transport, by the task of the call and by the reader. No signal is fired with it held.
    private struct State: Sendable {
        /// The response that the reader does not know of yet.
        var opening: Opening?
        var isOpen = false
        /// Ends the exchange; nil before it has begun.
        var stop: (@Sendable () -> Void)?
        /// Its news are all that the reader, or whoever waits for the head, waits for.
        var mailbox: Mailbox
        /// Fires when the reader has said where it is, which it has to between two responses; nil else.
        var gap: OneShot?
        /// What it has said.
        var place: StreamPlace?
        /// How the call ended; nil while it has not.
        var end: Result<HeaderFields, SessionError>?
        /// Whether the reader wants no more.
        var isClosed = false
        /// Why, where what came was not what it should be.
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

        /// What there is to read where no piece is left; nil where more may come.
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

    /// When the stream is asked for again; nil: never.
    let reconnection: EventReconnection?
    private let state: Guarded<State>

    /// - Parameter limit: how many bytes may wait to be read: that many, or one chunk of the transport's.
    init(limit: Int, _ reconnection: EventReconnection? = nil) {
        self.reconnection = reconnection
        state = Guarded(State(mailbox: Mailbox(limit: limit)))
    }

    // MARK: What the transport's turn does

    /// Takes what is known of the response before its body is opened.
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

    // MARK: What the call does

    var body: ResponseBody { .empty }

    /// Whether there is a response whose elements are read, so that it is too late to try again.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Whether the reader wants no more, so that what is missing of the body is nobody's loss.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Why the reader wants no more, where what came was not what it should be.
    var refusal: SessionError? { state.withLock(\.refusal) }

    /// Until when the reader was waited for, so that no byte was to move; nil where it never was.
    var rest: ContinuousClock.Instant? { state.withLock(\.mailbox.rest) }

    /// The body is over, and another may follow it: waits until the reader has read all of it.
    /// - Returns: where it is then; nil where it wants no more.
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

    /// The call is over.
    /// - Parameter result: the fields behind the body, or what went wrong.
    func end(_ result: Result<HeaderFields, SessionError>) {
        let (news, gap) = state.withLock { state in
            (state.end, state.place) = (result, nil)
            return (state.mailbox.takeNews(), state.takeGap())
        }
        news?.fire()
        // Whoever waited for the reader has gone.
        gap?.fire()
    }

    // MARK: What the reader does

    /// The fields behind the body, once all of it has come; nil before.
    var trailers: HeaderFields? { state.withLock { try? $0.end?.get() } }

    /// Waits for a response whose elements can be read.
    /// - Throws: why there is none.
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

    /// Waits for what there is to read next; whoever asks is done with what came before.
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

    /// The reader has read all of a body, and where it is now another one may take up.
    func goOn(from place: StreamPlace) {
        let (gap, dropped) = state.withLock { state in
            defer { (state.place, state.isOpen, state.stop) = (place, false, nil) }
            return (state.takeGap(), state.stop)
        }
        withExtendedLifetime(dropped) {}
        gap?.fire()
    }

    /// The reader wants no more, and the exchange ends: well, or with what was wrong.
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
