import PatchbayCodings
import PatchbayPlatform
import PatchbayRegistry

/// One exchange of a call: the request of the attempt, or the request that follows a redirect, and its response as it
/// arrives. Asks the registry when the head arrives, then passes the body, up to its limit, to a sink.
///
/// The transport calls the exchange in callbacks, one at a time. The call reads the result after the exchange.
final class Exchange: TimedReceiver {
    /// The reason that a body is not taken to its end.
    enum BodyEnd: Sendable {
        /// Its beginning was kept.
        case tooLarge
        /// The sink could not take the bytes.
        case untaken
        /// It is not wanted; the failure of the call, if that is a failure.
        case refused(SessionError?)
    }

    struct State {
        /// The decision about the response; nil before the head arrives, and for a redirect that is followed.
        var decision: Decision?
        /// The head of a redirect that is followed. Its body is not kept.
        var redirect: ResponseHead?
        /// The decision about a redirect; nil until the redirect handler has decided.
        var answer: RedirectAnswer?
        /// The signal that fires when the redirect handler has answered; nil before it is asked.
        var asked: OneShot?
        var headTime = Duration.zero
        var sink: (any BodySink)?
        /// The most bytes to keep.
        var limit = BodyLimit(ofRequest: 0)
        /// The most bytes to read of a body that the call can do without; nil for every other body.
        var readLimit: Int?
        /// Whether the call can do without the body as soon as its request is sent.
        var isUnwanted = false
        /// The number of bytes of the request's body that are sent, and that its source had at its end.
        var sent: (bytes: Int64, all: Int64?) = (0, nil)
        /// The number of bytes of the body, including the bytes that a resumed file already has.
        var count = 0
        var bodyEnd: BodyEnd?
        var trailers: HeaderFields = [:]

        /// How many more bytes fit.
        @inline(__always)
        var room: Int { min(limit.bytes, readLimit ?? .max) - count }

        /// Called for bytes that do not fit.
        /// - Parameter isSent: whether the whole request is sent: else the end of the exchange would cut it off.
        mutating func exceed(by count: Int, isSent: Bool) -> TransportFlow {
            guard let readLimit else {
                bodyEnd = .tooLarge
                return .stop
            }
            sink = nil
            guard isSent || !isUnwanted, count > readLimit - self.count else { return .proceed }
            bodyEnd = .refused(nil)
            return .stop
        }
    }

    /// A body that the call can do without is read only so that its connection can be used again: up to this number of
    /// bytes.
    private static let redirectBodyLimit = 65_536
    private static let unwantedBodyLimit = 131_072
    /// The longest time for such a body of an acceptable response. For the body of an error or a redirect it is the idle
    /// timeout.
    private static let unwantedBodyTime = Duration.seconds(1)

    let outgoing: OutgoingRequest
    /// The head with the Accept field and the signature. The cookies of the jar are put in when it is sent.
    let head: RequestHead
    /// The timings of the redirects before this exchange in the attempt.
    let hops: [ExchangeTimings]
    let call: Call
    let state = Guarded(State())

    init(_ call: Call, _ outgoing: consuming OutgoingRequest, after hops: [ExchangeTimings] = []) {
        self.call = call
        self.hops = hops
        // A cache must not answer a request for new events (WHATWG HTML, section 9.2.2).
        head = outgoing.head(accept: call.accept(of: outgoing), isFresh: call.stream?.reconnection != nil)
        self.outgoing = consume outgoing
    }

    /// The exchange of the same request with a signature.
    init(_ other: Exchange, signed fields: HeaderFields) {
        (call, hops, outgoing) = (other.call, other.hops, other.outgoing)
        var head = other.head
        head.fields = fields
        outgoing.acceptIdentity(&head.fields)
        self.head = head
    }

    var stop: OneShot { call.timeouts.stop }
    var isOutOfTime: Bool { call.timeouts.ended?.isTimeout == true }

    /// The head with the cookies that the jar has for it now, and a notice for each that does not fit into the field.
    func headWithCookies() -> (RequestHead, [CookieNotice]) {
        guard let jar = outgoing.cookies, let target = CookieTarget(head, to: outgoing.host) else { return (head, []) }
        var sent = head
        let notices = jar.put(into: &sent.fields, for: target)
        return (sent, notices)
    }

    /// Stores the cookies of the response, once: the head of a redirect is offered again when the handler has decided, or
    /// when the body of the request goes on.
    private func keepCookies(of fields: HeaderFields) {
        guard let jar = outgoing.cookies, let target = CookieTarget(head, to: outgoing.host),
            state.withLock({ $0.answer == nil && $0.asked == nil })
        else { return }
        let notices = jar.keep(fields, from: target)
        if !notices.isEmpty { call.task.post(.cookies(notices)) }
    }

    // MARK: The head

    /// Called when the head arrives. For a redirect, the redirect rule of the request decides. For any other response,
    /// the registry decides.
    func receive(status: Int, fields: HeaderFields) -> TransportFlow {
        receive(status: status, fields: fields, sent: fields)
    }

    /// Receives the head of a response that can be a stored one.
    /// - Parameter sent: the fields that the server has sent for this request. A stored response sets no cookie again.
    func receive(status: Int, fields: HeaderFields, sent: HeaderFields) -> TransportFlow {
        if let suspension = call.task.suspension { return .wait(suspension) }
        let elapsed = call.timeouts.check(hasMoved: true)
        let head = ResponseHead(status: status, fields: fields, url: head.url, host: outgoing.host, request: head)
        keepCookies(of: sent)
        guard let location = Redirect.location(status, fields) else { return receive(head, elapsed) }
        var answer = RedirectAnswer.offered(location)
        switch outgoing.terms.redirects.rule {
        case .follow: break
        case .doNotFollow: return receive(head, elapsed)
        case .ask(let decide):
            // Behind the end of its step no handler is asked, and no answer would come.
            if stop.hasFired { return .stop }
            let (answered, asked) = state.withLock { ($0.answer, $0.asked) }
            guard let decided = answered else { return .wait(asked ?? asking(decide, head, location)) }
            if case .notFollowed = decided { return receive(head, elapsed) }
            answer = decided
        }
        state.withLock { [answer] state in
            (state.redirect, state.headTime, state.answer) = (head, elapsed, answer)
            (state.limit, state.readLimit) = (BodyLimit(ofRequest: Self.redirectBodyLimit), Self.redirectBodyLimit)
        }
        limitBody()
        return .proceed
    }

    /// Limits the time for a body that the call can do without.
    private func limitBody(_ limit: Duration? = nil) {
        call.manager.taskList.watch(call.timeouts.limitBody(limit))
    }

    /// Receives the head of the call's response. The registry chooses the serializer, and with it the sink and the
    /// limit of the body.
    ///
    /// An acceptable response goes into the file of a download, or to the reader of a stream. Everything else goes into
    /// memory, such as the body of an error.
    private func receive(_ head: ResponseHead, _ elapsed: Duration) -> TransportFlow {
        var override = outgoing.terms.override
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
            file.open(head, resumption, stop: stop)
            sink = file
            // The length of a resumed response can be that of a part of the rest.
            if case .append(let start, _, let length) = resumption { (offset, total) = (start, length) }
            if !file.isSerialized { limit = BodyLimit(ofRequest: override.maximumBodyBytes) }
        } else if let stream = call.stream, decision.wanted.isElements {
            // If no entry can make the elements, the body is not read, because it can be endless.
            guard decision.outcome != .error else { return refuse(decision, elapsed) }
            stream.open((decision, outgoing.terms), stop: stop)
            sink = stream
            // The limits apply to each element.
            limit = BodyLimit(ofRequest: nil)
        } else {
            sink = BodyBuffer(expected: length ?? 0)
        }
        let isUnwanted = decision.isAcceptable && call.wanted.isNothing && outgoing.terms.validators.isEmpty
        if head.canHaveBody, isUnwanted ? state.withLock({ isSent($0) }) : !decision.isAcceptable {
            limitBody(isUnwanted ? Self.unwantedBodyTime : nil)
        }
        call.traffic?.note(decision, after: offset)
        call.task.answered(decision, length: length, after: offset, of: total)
        return state.withLock { [limit, offset] state in
            (state.decision, state.headTime) = (decision, elapsed)
            (state.sink, state.limit, state.count) = (sink, limit, offset)
            if isUnwanted { (state.readLimit, state.isUnwanted) = (Self.unwantedBodyLimit, head.canHaveBody) }
            // A body whose announced length exceeds the limit is not read.
            guard let length, length > state.room else { return .proceed }
            return state.exceed(by: length, isSent: isSent(state))
        }
    }

    /// Ends the exchange of a response whose body is not wanted.
    /// - Parameter refusal: the failure of the response; nil if it has not failed.
    private func refuse(_ decision: Decision, _ elapsed: Duration, _ refusal: SessionError? = nil) -> TransportFlow {
        call.traffic?.note(decision)
        call.task.answered(decision, length: nil)
        state.withLock { state in
            (state.decision, state.headTime, state.bodyEnd) = (decision, elapsed, .refused(refusal))
        }
        return .stop
    }

    // MARK: The body

    /// Passes the next bytes of the body to the sink. Only bytes that are kept count as received. The sink is called
    /// outside the lock, because it wakes its reader. Only callbacks of the transport change `count`.
    func receive(_ chunk: UnsafeRawBufferPointer) -> TransportFlow {
        if let suspension = call.task.suspension { return .wait(suspension) }
        call.timeouts.check(hasMoved: true)
        let (sink, flow, isProgress) = state.withLock { state -> ((any BodySink)?, TransportFlow, Bool) in
            guard chunk.count <= state.room else {
                let flow = state.exceed(by: chunk.count, isSent: isSent(state))
                if case .proceed = flow { state.count += chunk.count }
                return (nil, flow, false)
            }
            state.count += chunk.count
            return (state.sink, .proceed, state.decision?.isAcceptable == true)
        }
        guard let sink else { return flow }
        let taken = sink.append(chunk)
        guard case .proceed = taken else {
            state.withLock { state in
                state.count -= chunk.count
                if case .stop = taken { state.bodyEnd = .untaken }
            }
            return taken
        }
        call.task.received(chunk.count, isProgress: isProgress)
        return .proceed
    }

    func receive(trailers: HeaderFields) { state.withLock { $0.trailers = trailers } }

    func waitForConnection(because reason: String) { call.timeouts.beginWait(because: reason) }

    func endWaitForConnection() { call.timeouts.endWait() }

    func note(_ clause: String) { call.task.post(.noted(clause)) }

    func moved() { call.timeouts.check(hasMoved: true) }

    func sent(_ bytes: Int) {
        call.timeouts.check(hasMoved: true)
        noteSent(Int64(bytes))
        call.task.sent(bytes)
    }

    /// Called when the source of the request's body has ended, after so many bytes.
    func sourceEnded(after count: Int64) { noteSent(0, of: count) }

    /// Counts bytes of the request's body. With the last of them, a response that the call can do without gets its limit.
    private func noteSent(_ bytes: Int64, of all: Int64? = nil) {
        let isLeft = state.withLock { state in
            let before = isSent(state)
            state.sent = (state.sent.bytes &+ bytes, all ?? state.sent.all)
            return state.isUnwanted && !before && isSent(state)
        }
        if isLeft { limitBody(Self.unwantedBodyTime) }
    }

    private func isSent(_ state: State) -> Bool {
        guard let body = outgoing.body else { return true }
        return (body.length ?? state.sent.all).map { state.sent.bytes >= $0 } ?? false
    }

    // MARK: The redirect handler

    /// Asks the redirect handler on a thread that is allowed to block.
    /// - Returns: the signal that fires when the handler has answered.
    private func asking(_ decide: @escaping RedirectHandler.Decide, _ head: ResponseHead, _ location: String) -> OneShot
    {
        let (answered, stop) = (OneShot(), stop)
        state.withLock { $0.asked = answered }
        call.manager.questions.enqueue { [self] in
            defer { answered.fire() }
            // The timeouts run while the call waits for a thread, so it can have ended.
            guard !stop.hasFired else { return }
            _ = call.timeouts.change(to: .working, in: stop)
            let answer: RedirectAnswer
            do throws(Refusal) {
                let next = try Redirect.next(
                    after: outgoing, head, location: location, over: call.manager.connections, asking: decide)
                answer = next.map { .followed($0) } ?? .notFollowed
            } catch {
                answer = .refused(error)
            }
            state.withLock { $0.answer = answer }
            call.manager.taskList.watch(call.timeouts.change(to: .exchanging, in: stop))
        }
        return answered
    }
}

/// The decision about a redirect. Indirect, because most responses are no redirects.
indirect enum RedirectAnswer: Sendable {
    /// The handler does not follow the redirect.
    case notFollowed
    /// The request has no handler: the redirect to this location is followed.
    case offered(String)
    case followed(OutgoingRequest)
    case refused(Refusal)
}
