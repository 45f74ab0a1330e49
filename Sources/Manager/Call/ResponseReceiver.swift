import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// One response after its exchange: its head and decision, and the received part of its body.
///
/// A class, so that passing a response between the steps of a call copies one reference.
final class ReceivedResponse: Sendable {
    let decision: Decision
    let body: ResponseBody
    /// The reason that the body is incomplete; nil if it is complete.
    let failure: SessionError?
    /// The times from the start of the call to the arrival of the head, and to the end of the body.
    let headTime, bodyTime: Duration
    let timings: ExchangeTimings
    let hops: [ExchangeTimings]
    let terms: ResponseTerms
    let trailers: HeaderFields

    init(
        _ decision: Decision, _ body: ResponseBody, _ trailers: HeaderFields, _ failure: SessionError?,
        _ headTime: Duration, _ bodyTime: Duration, _ timings: ExchangeTimings, after hops: [ExchangeTimings],
        _ terms: ResponseTerms
    ) {
        (self.decision, self.body, self.trailers, self.failure) = (decision, body, trailers, failure)
        (self.headTime, self.bodyTime, self.timings) = (headTime, bodyTime, timings)
        (self.hops, self.terms) = (hops, terms)
    }
}

/// Receives the response of one exchange: asks the registry when the head arrives, then passes the body, up to its
/// limit, to a sink.
///
/// The transport calls the receiver in callbacks, one at a time. The call reads the result after the exchange.
final class ResponseReceiver: TimedReceiver {
    private struct State {
        /// The head of the response; nil before it arrives.
        var head: ResponseHead?
        var headTime = Duration.zero
        /// The decision about the response; nil for a redirect that is followed, whose body is not kept.
        var decision: Decision?
        var sink: (any BodySink)?
        var limit = BodyLimit(ofRequest: 0)
        /// The number of bytes of the body, including the bytes that a resumed file already has.
        var count = 0
        /// Whether a body over its limit is read to its end and dropped, because the call wants no value.
        var isExcessDropped = false
        /// Whether the body exceeds the limit. Its beginning was kept.
        var isTooLarge = false
        /// Whether the sink could not take the bytes.
        var isUntaken = false
        /// Whether the body is not wanted, and the reason if that is a failure.
        var isRefused = false
        var refusal: SessionError?
        var trailers: HeaderFields = [:]
        /// The decision about a redirect; nil until the redirect handler has decided.
        var redirect: RedirectAnswer?
    }

    /// The number of bytes of a redirect's body that are read so that its connection can be used again.
    private static let redirectBodyLimit = BodyLimit(ofRequest: 65_536)

    let exchange: Exchange
    private let call: Call
    private let state = Guarded(State())

    init(_ call: Call, _ exchange: consuming Exchange) {
        self.call = call
        self.exchange = consume exchange
    }

    var stop: OneShot { call.timeouts.stop }
    var isOutOfTime: Bool { call.timeouts.ended?.isTimeout == true }

    /// Called when the head arrives. For a redirect, the redirect rule of the request decides. For any other response,
    /// the registry decides.
    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        if let pause = call.task.pause() { return .wait(pause) }
        let elapsed = call.timeouts.check(hasMoved: true)
        let head = ResponseHead(
            status: status, fields: fields, url: exchange.head.url, host: exchange.outgoing.host,
            request: exchange.head)
        if exchange.outgoing.cookies != nil { keepCookies(of: fields) }
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

    /// Stores the cookies of the response, once: the head of a redirect is offered again when the handler has decided.
    private func keepCookies(of fields: HeaderFields) {
        guard state.withLock({ $0.redirect == nil }) else { return }
        let notices = exchange.keepCookies(of: fields)
        if !notices.isEmpty { call.task.post(.cookies(notices)) }
    }

    /// Receives the head of the call's response. The registry chooses the serializer, and with it the sink and the
    /// limit of the body.
    ///
    /// An acceptable response goes into the file of a download, or to the reader of a stream. Everything else goes into
    /// memory, such as the body of an error.
    private func receive(_ head: ResponseHead, _ elapsed: Duration) -> TransportFlow {
        var override = exchange.outgoing.terms.override
        // If the wanted type is optional, status 304 gives nil and is not an error.
        if head.isNotModified, call.file == nil, call.stream == nil, call.wanted.optionalType != nil {
            override.acceptableStatus = [304]
        }
        let decision = call.registry.decision(for: head, producing: call.wanted, override: override)
        let resumption = Resumption.judge(head, call.file?.resumption)
        if decision.isAcceptable, let refusal = resumption.refusal { return refuse(decision, elapsed, refusal) }
        // Nil without a body. With a content coding, the announced length is that of the coded bytes.
        let length = head.canHaveBody && !head.fields.hasContentCoding ? head.fields.announcedLength : nil
        var limit = decision.limit
        let sink: any BodySink
        var (offset, total) = (0, Int?.none)
        if let file = call.file, decision.isAcceptable, decision.outcome != .error {
            sink = file
            // The length of a resumed response can be that of a part of the rest.
            if case .append(let start, _, let length) = resumption { (offset, total) = (start, length) }
            if !file.isSerialized { limit = BodyLimit(ofRequest: override.maximumBodyBytes) }
        } else if let stream = call.stream, decision.wanted.isElements {
            // If no entry can make the elements, the body is not read, because it can be endless.
            guard decision.outcome != .error else { return refuse(decision, elapsed) }
            stream.accept(decision, exchange.outgoing.terms)
            sink = stream
            // The limits apply to each element.
            limit = BodyLimit(ofRequest: nil)
        } else {
            sink = BodyBuffer(expected: length ?? 0)
        }
        // A call that wants no value does not fail because of a large body.
        let isExcessDropped =
            call.wanted.isNothing && decision.isAcceptable && exchange.outgoing.terms.validators.isEmpty
        let stop = stop
        sink.open(head, resumption) { stop.fire() }
        call.task.answered(decision, length: length, after: offset, of: total)
        return state.withLock { [limit, offset] state in
            (state.head, state.headTime, state.decision) = (head, elapsed, decision)
            (state.sink, state.limit, state.count) = (sink, limit, offset)
            // A body whose announced length exceeds the limit is not read.
            let isTooLarge = length.map { $0 > limit.bytes - offset } ?? false
            state.isExcessDropped = isExcessDropped
            if isTooLarge, isExcessDropped { state.sink = nil }
            state.isTooLarge = isTooLarge && !isExcessDropped
            return state.isTooLarge ? .stop : .proceed
        }
    }

    /// Ends the exchange of a response whose body is not wanted.
    /// - Parameter refusal: the failure of the response; nil if it has not failed.
    private func refuse(_ decision: Decision, _ elapsed: Duration, _ refusal: SessionError? = nil) -> TransportFlow {
        call.task.answered(decision, length: nil)
        state.withLock { state in
            (state.head, state.headTime, state.decision) = (decision.head, elapsed, decision)
            (state.isRefused, state.refusal) = (true, refusal)
        }
        return .stop
    }

    /// Passes the next bytes of the body to the sink. Only bytes that are kept count as received. The sink is called
    /// outside the lock, because it wakes its reader. Only callbacks of the transport change `count`.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        if let pause = call.task.pause() { return .wait(pause) }
        call.timeouts.check(hasMoved: true)
        let (sink, fits, isProgress) = state.withLock { state -> ((any BodySink)?, Bool, Bool) in
            guard chunk.count <= state.limit.bytes - state.count else {
                guard state.isExcessDropped else {
                    state.isTooLarge = true
                    return (nil, false, false)
                }
                state.sink = nil
                return (nil, true, false)
            }
            state.count += chunk.count
            return (state.sink, true, state.decision?.isAcceptable == true)
        }
        guard fits else { return .stop }
        guard let sink else { return .proceed }
        let flow = sink.append(chunk)
        guard case .proceed = flow else {
            state.withLock { state in
                state.count -= chunk.count
                if case .stop = flow { state.isUntaken = true }
            }
            return flow
        }
        call.task.received(chunk.count, isProgress: isProgress)
        return .proceed
    }

    func receive(trailers: HeaderFields) { state.withLock { $0.trailers = trailers } }

    func waitForConnection(because reason: String) { call.timeouts.beginWait(because: reason) }

    func endWaitForConnection() { call.timeouts.endWait() }

    func moved() { call.timeouts.check(hasMoved: true) }

    func sent(_ bytes: Int) {
        call.timeouts.check(hasMoved: true)
        call.task.sent(bytes)
    }

    // MARK: The redirect handler

    /// Asks the redirect handler on a thread that is allowed to block.
    /// - Returns: the signal that fires when the handler has answered.
    private func asking(_ decide: @escaping RedirectHandler.Decide, _ head: ResponseHead, _ location: String) -> OneShot
    {
        let answered = OneShot()
        call.timeouts.beginAsking()
        call.manager.questions.enqueue { [self] in
            let answer: RedirectAnswer
            do throws(Refusal) {
                let next = try Redirect.next(
                    after: exchange.outgoing, head, location: location, over: call.manager.connections, asking: decide)
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

    // MARK: After the exchange

    /// The head of a redirect to follow.
    var redirect: ResponseHead? { state.withLock { $0.decision == nil ? $0.head : nil } }

    /// Returns the request that follows the redirect.
    func next(after head: ResponseHead) throws(Refusal) -> OutgoingRequest {
        switch state.withLock(\.redirect) {
        case .followed(let next): return next
        case .refused(let refusal): throw refusal
        case .offered(let location):
            return try Redirect.next(
                after: exchange.outgoing, status: head.status, location: location, over: call.manager.connections)
        case nil, .notFollowed: throw Refusal("it is none that is followed")
        }
    }

    /// The sink of the body. A file sink must still confirm that it has written all bytes.
    var sink: (any BodySink)? { state.withLock(\.sink) }

    /// The received response; nil for a redirect to follow.
    /// - Parameters:
    ///   - failure: the failure of the exchange, if it failed.
    ///   - untaken: the reason that the sink has not stored all of the body.
    ///   - tries: gets the timings of a redirect.
    /// - Throws: the failure, if no final head arrived.
    @inline(never)
    func response(
        _ timings: ExchangeTimings, _ failure: SessionError?, untaken: SessionError?, _ tries: Tries
    ) throws(SessionError) -> ReceivedResponse? {
        let (state, ended, elapsed) = (state.withLock { $0 }, call.timeouts.ended, call.timeouts.elapsed)
        if case .cancelled = ended { throw SessionError(Timeouts.End.cancelled).with(exchange.head) }
        guard let head = state.head else {
            let error = ended.map { SessionError($0, timings) } ?? failure ?? SessionError(.noHead)
            throw error.with(exchange.head).with(timings, after: exchange.hops)
        }
        guard let decision = state.decision else {
            if let ended { throw SessionError(ended, timings).with(head).with(timings, after: exchange.hops) }
            tries.hops.append(timings)
            return nil
        }
        let body = state.sink?.body ?? .empty
        var bodyFailure: SessionError?
        if state.isTooLarge {
            bodyFailure = SessionError(tooLarge: decision, body, limit: state.limit)
        } else if let ended {
            bodyFailure = SessionError(ended, timings).with(head)
        } else if let untaken {
            bodyFailure = untaken.with(head)
        } else if state.isUntaken {
            bodyFailure = SessionError(.noMemory).with(head)
        } else if let failure = state.isRefused ? state.refusal : failure {
            bodyFailure = failure.with(head)
        }
        return ReceivedResponse(
            decision, body, state.trailers, bodyFailure, state.headTime, elapsed, timings,
            after: exchange.hops, exchange.outgoing.terms)
    }
}

/// The decision about a redirect. Indirect, because most responses are no redirects.
private indirect enum RedirectAnswer: Sendable {
    /// The handler does not follow the redirect.
    case notFollowed
    /// The request has no handler: the redirect to this location is followed.
    case offered(String)
    case followed(OutgoingRequest)
    case refused(Refusal)
}
