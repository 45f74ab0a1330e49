import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// One response when its exchange is over: its head and decision, and as much of its body as arrived.
///
/// A class of constants only, so that the steps of a call hand it on for the price of one reference.
final class ReceivedResponse: Sendable {
    let decision: Decision
    let body: ResponseBody
    /// Why the body is not complete; nil where it is.
    let failure: SessionError?
    /// When the head had arrived, counted from the start of the call, and when the body had, or came to its end.
    let headTime, bodyTime: Duration
    let timings: ExchangeTimings
    let redirects: Int
    let terms: ResponseTerms
    let trailers: HeaderFields

    init(
        _ decision: Decision, _ body: ResponseBody, _ trailers: HeaderFields, _ failure: SessionError?,
        _ headTime: Duration, _ bodyTime: Duration, _ timings: ExchangeTimings, redirects: Int, _ terms: ResponseTerms
    ) {
        (self.decision, self.body, self.trailers, self.failure) = (decision, body, trailers, failure)
        (self.headTime, self.bodyTime, self.timings) = (headTime, bodyTime, timings)
        (self.redirects, self.terms) = (redirects, terms)
    }
}

/// Receives the response of one exchange: asks the registry when the head arrives, then hands the body to a sink, up to its limit.
///
/// Called in turns of the transport, one at a time; the call reads what has arrived when the exchange is over.
final class ResponseReceiver: ConnectionWaiting {
    private struct State {
        /// Nil before it has arrived.
        var head: ResponseHead?
        var headTime = Duration.zero
        /// Who serializes the response; nil for a redirect that is followed, whose body is not kept.
        var decision: Decision?
        var sink: (any BodySink)?
        var limit = BodyLimit(ofRequest: 0)
        /// How many bytes of the body there are, those of a file that is resumed among them.
        var count = 0
        /// Whether a body larger than the limit is let go of and read to its end, because nobody is to have it.
        var isExcessDropped = false
        /// The body is larger than the limit; what was kept is its beginning.
        var isTooLarge = false
        /// The sink could not take the bytes.
        var isUntaken = false
        var isRefused = false
        var trailers: HeaderFields = [:]
        /// Of a redirect; nil until its handler has answered.
        var redirect: RedirectAnswer?
    }

    /// How much of a redirect's body is read so that its connection can be used again.
    private static let redirectBodyLimit = BodyLimit(ofRequest: 65_536)

    let exchange: Exchange
    private let call: Call
    private let state = Guarded(State())

    init(_ call: Call, _ exchange: consuming Exchange) {
        self.call = call
        self.exchange = consume exchange
    }

    var stop: OneShot { call.timeouts.stop }

    /// The head has come: a redirect is followed or not, and of any other response it is decided now who serializes it.
    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        if let pause = call.task.pause() { return .wait(pause) }
        let elapsed = call.timeouts.touch()
        let head = ResponseHead(
            status: status, fields: fields, url: exchange.head.url, host: exchange.outgoing.host,
            request: exchange.head)
        guard let location = Redirect.location(status, fields) else { return receive(head, elapsed) }
        var redirect = RedirectAnswer.offered(location)
        switch exchange.outgoing.terms.redirects.rule {
        case .follow: break
        case .doNotFollow: return receive(head, elapsed)
        case .ask(let decide):
            guard let answer = state.withLock(\.redirect) else { return .wait(asking(decide, head, location)) }
            if case .notFollowed = answer { return receive(head, elapsed) }
            redirect = answer
        }
        state.withLock { [redirect] state in
            (state.head, state.headTime, state.limit) = (head, elapsed, Self.redirectBodyLimit)
            state.redirect = redirect
        }
        return .proceed
    }

    /// The response of the call: who serializes it is decided now, and with it where the body goes, and how much of it.
    ///
    /// Into the file of a download, or to the reader of a stream, where it is accepted; into memory all else: an error's body, and
    /// what nobody is to have.
    private func receive(_ head: ResponseHead, _ elapsed: Duration) -> TransportFlow {
        var override = exchange.outgoing.terms.override
        // For an optional, no change is no value and not an error.
        if head.isNotModified, call.file == nil, call.stream == nil, call.wanted.type.map(isOptional) == true {
            override.acceptableStatus = [304]
        }
        let decision = call.registry.decision(for: head, producing: call.wanted, override: override)
        let length = Self.announcedLength(head)
        let own = exchange.outgoing.terms.maximumBodyBytes
        var limit = decision.limit(cappedBy: own)
        let sink: any BodySink
        if let file = call.file, decision.isAcceptable, decision.outcome != .error {
            sink = file
            if !file.isSerialized { limit = BodyLimit(ofRequest: own) }
        } else if let stream = call.stream, decision.isAcceptable {
            // Where nobody can make its elements, a body that may have no end is not waited for.
            guard decision.outcome != .error else { return refuse(decision, elapsed) }
            stream.accept(decision, exchange.outgoing.terms)
            sink = stream
            // The limits are those of one element.
            limit = BodyLimit(ofRequest: nil)
        } else {
            sink = MemorySink(expected: length ?? 0)
        }
        // It is not the fault of a call that wants no value that there is so much of it.
        let isExcessDropped =
            call.wanted.isNothing && decision.isAcceptable && exchange.outgoing.terms.validators.isEmpty
        let stop = stop
        let offset = sink.open(head) { stop.fire() }
        call.task.answered(decision, length: length, after: offset)
        return state.withLock { [limit] state in
            (state.head, state.headTime, state.decision) = (head, elapsed, decision)
            (state.sink, state.limit, state.count) = (sink, limit, offset)
            // A body that says it is too large is not waited for.
            let isTooLarge = length.map { $0 > limit.bytes - offset } ?? false
            state.isExcessDropped = isExcessDropped
            if isTooLarge, isExcessDropped { state.sink = nil }
            state.isTooLarge = isTooLarge && !isExcessDropped
            return state.isTooLarge ? .stop : .proceed
        }
    }

    /// Ends the exchange of a response whose body nobody wants, which is no failure of the body.
    private func refuse(_ decision: Decision, _ elapsed: Duration) -> TransportFlow {
        call.task.answered(decision, length: nil)
        state.withLock { ($0.head, $0.headTime, $0.decision, $0.isRefused) = (decision.head, elapsed, decision, true) }
        return .stop
    }

    /// The next bytes of the body have come, which are counted where they are kept.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        if let pause = call.task.pause() { return .wait(pause) }
        call.timeouts.touch()
        let (flow, isKept) = take(chunk)
        if isKept { call.task.received(chunk.count) }
        return flow
    }

    func receive(trailers: HeaderFields) { state.withLock { $0.trailers = trailers } }

    func waitForConnection(because reason: String) { call.timeouts.beginWait(because: reason) }

    func endWaitForConnection() { call.timeouts.endWait() }

    func sent(_ bytes: Int) {
        call.timeouts.touch()
        call.task.sent(bytes)
    }

    /// The sink is asked without the lock, because it wakes its reader. Only the turn of the transport touches the count.
    private func take(_ chunk: UnsafeRawBufferPointer) -> (TransportFlow, isKept: Bool) {
        let (sink, fits) = state.withLock { state -> ((any BodySink)?, Bool) in
            guard chunk.count <= state.limit.bytes - state.count else {
                guard state.isExcessDropped else {
                    state.isTooLarge = true
                    return (nil, false)
                }
                state.sink = nil
                return (nil, true)
            }
            state.count += chunk.count
            return (state.sink, true)
        }
        guard fits else { return (.stop, false) }
        guard let sink else { return (.proceed, false) }
        let flow = sink.append(chunk)
        if case .proceed = flow { return (flow, true) }
        state.withLock { state in
            state.count -= chunk.count
            if case .stop = flow { state.isUntaken = true }
        }
        return (flow, false)
    }

    /// How many bytes the body is to have; nil where the head does not say, or where none can come.
    private static func announcedLength(_ head: ResponseHead) -> Int? {
        // With a content coding the length is that of other bytes.
        guard head.canHaveBody, !head.fields.hasContentCoding else { return nil }
        return head.fields.announcedLength
    }

    // MARK: The redirect handler

    /// Asks the handler on a thread where it holds nobody up.
    /// - Returns: what fires when it has answered.
    private func asking(_ decide: @escaping RedirectHandler.Decide, _ head: ResponseHead, _ location: String) -> OneShot
    {
        let answered = OneShot()
        call.timeouts.beginAsking()
        call.manager.questions.enqueue { [self] in
            let answer: RedirectAnswer
            do throws(Refusal) {
                let next = try Redirect.next(after: exchange.outgoing, head, location: location, asking: decide)
                answer = next.map { .followed($0) } ?? .notFollowed
            } catch {
                answer = .refused(error)
            }
            state.withLock { $0.redirect = answer }
            call.timeouts.endAsking()
            answered.fire()
        }
        return answered
    }

    // MARK: When the exchange is over

    /// The head of a redirect that is to be followed.
    var redirect: ResponseHead? { state.withLock { $0.decision == nil ? $0.head : nil } }

    /// The request that follows the redirect.
    func next(after head: ResponseHead) throws(Refusal) -> OutgoingRequest {
        switch state.withLock(\.redirect) {
        case .followed(let next): return next
        case .refused(let refusal): throw refusal
        case .offered(let location):
            return try Redirect.next(after: exchange.outgoing, status: head.status, location: location)
        case nil, .notFollowed: throw Refusal("it is none that is followed")
        }
    }

    /// Where the body went, if it has to be asked whether all of it is there.
    var sink: (any BodySink)? { state.withLock(\.sink) }

    /// What has arrived; nil where that is a redirect to follow.
    /// - Parameters:
    ///   - failure: how the transport ended the exchange, if not well.
    ///   - untaken: why the sink has not put all of the body where it belongs.
    /// - Throws: where no head of a final response arrived.
    func response(
        _ timings: ExchangeTimings, _ failure: SessionError?, untaken: SessionError?
    ) throws(SessionError) -> ReceivedResponse? {
        let (state, ended, elapsed) = (state.withLock { $0 }, call.timeouts.ended, call.timeouts.elapsed)
        if case .cancelled = ended { throw SessionError(Timeouts.End.cancelled).with(exchange.head) }
        guard let head = state.head else {
            throw (ended.map { SessionError($0) } ?? failure ?? SessionError(.noHead)).with(exchange.head)
        }
        guard let decision = state.decision else {
            if let ended { throw SessionError(ended).with(head) }
            return nil
        }
        let body = state.sink?.body ?? .empty
        var bodyFailure: SessionError?
        if state.isTooLarge {
            bodyFailure = SessionError(tooLarge: decision, body, limit: state.limit)
        } else if let ended {
            bodyFailure = SessionError(ended).with(head)
        } else if let untaken {
            bodyFailure = untaken.with(head)
        } else if state.isUntaken {
            bodyFailure = SessionError(.noMemory).with(head)
        } else if let failure, !state.isRefused {
            bodyFailure = failure.with(head)
        } else if let file = call.file, file.missing > 0 {
            bodyFailure = SessionError(.cutRange).with(head)
        }
        return ReceivedResponse(
            decision, body, state.trailers, bodyFailure, state.headTime, elapsed, timings,
            redirects: exchange.redirects, exchange.outgoing.terms)
    }
}

/// What becomes of a redirect. Indirect, because most responses are no redirects.
private indirect enum RedirectAnswer: Sendable {
    /// The handler does not follow it.
    case notFollowed
    /// To a location, by the policy alone.
    case offered(String)
    case followed(OutgoingRequest)
    case refused(Refusal)
}
