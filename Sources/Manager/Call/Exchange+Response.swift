import PatchbayPlatform
import PatchbayRegistry

/// The result of an exchange, for the task of the call.
extension Exchange {
    /// The head of a redirect to follow.
    var redirect: ResponseHead? { state.withLock(\.redirect) }

    /// Returns the request that follows the redirect.
    func next(after head: ResponseHead) throws(Refusal) -> OutgoingRequest {
        switch state.withLock(\.answer) {
        case .followed(let next): return next
        case .refused(let refusal): throw refusal
        case .offered(let location):
            return try Redirect.next(
                after: outgoing, status: head.status, location: location, over: call.manager.connections)
        case nil, .notFollowed: throw Refusal("it is none that is followed")
        }
    }

    /// The sink of the body. A file sink must still confirm that it has written all bytes.
    var sink: (any BodySink)? { state.withLock(\.sink) }

    /// Ends the timeouts of the exchange. Returns the reason that it ended early, and the time since the start of the call.
    /// - Parameter isComplete: whether the response was complete before a timeout passed.
    func end(isAnswered: Bool, isComplete: Bool, _ timings: ExchangeTimings) -> (Timeouts.End?, Duration) {
        let (ended, elapsed) = call.timeouts.endExchange(
            isAnswered: isAnswered, isComplete: isComplete, leftBody: timings.leftBody)
        // The timer does not watch a call whose timeout has passed.
        if isComplete || ended != nil { call.manager.taskList.watch(call.timeouts.deadline) }
        return (ended, elapsed)
    }

    /// The received response; nil for a redirect to follow. Called once.
    /// - Parameters:
    ///   - failure: the failure of the exchange, if it failed.
    ///   - isComplete: whether the response was complete before a timeout passed.
    ///   - earlier: the reason that the exchange ended early, if it is known already.
    ///   - untaken: the reason that the sink has not stored all of the body.
    /// - Throws: the failure, if no final head arrived.
    @inline(never)
    func takeResponse(
        _ timings: ExchangeTimings, _ failure: SessionError?, isComplete: Bool, endedBy earlier: Timeouts.End?,
        untaken: SessionError?
    ) throws(SessionError) -> Response? {
        // Moved out, because copies of all its references cost more.
        var state = State()
        self.state.withLock { current in if current.decision != nil { swap(&current, &state) } }
        let (last, elapsed) = end(
            isAnswered: state.decision != nil && call.file == nil, isComplete: isComplete, timings)
        let ended = earlier ?? last
        if case .cancelled = ended {
            let error = SessionError(Timeouts.End.cancelled).with(timings, after: hops)
            throw state.decision.map { error.with($0.head) } ?? error.with(head)
        }
        guard let decision = state.decision else {
            // A redirect whose body was left is followed.
            if let redirect {
                guard let ended, !ended.isOfBody else { return nil }
                throw SessionError(ended, timings).with(redirect).with(timings, after: hops)
            }
            let error = ended.map { SessionError($0, timings) } ?? failure ?? SessionError(.noHead)
            throw error.with(head).with(timings, after: hops)
        }
        let isLeft = decision.isAcceptable && ended?.isOfBody == true
        let body = isLeft ? .empty : (state.sink as? BodyBuffer)?.finish() ?? .empty
        let bodyFailure: SessionError? =
            switch state.bodyEnd {
            case .tooLarge: SessionError(tooLarge: decision, body, limit: state.limit)
            case _ where isLeft: nil
            case _ where ended != nil: ended.map { SessionError($0, timings) }
            case _ where untaken != nil: untaken
            case .untaken: SessionError(.noMemory)
            case .refused(let refusal): refusal
            case nil: failure
            }
        return Response(
            self, decision, body, state.trailers, bodyFailure.map { $0.with(decision.head) }, state.headTime, elapsed,
            timings)
    }
}

/// One response after its exchange: its decision, and the received part of its body.
///
/// A class, so that passing a response between the steps of a call copies one reference.
final class Response: Sendable {
    let exchange: Exchange
    let decision: Decision
    let body: ResponseBody
    let trailers: HeaderFields
    /// The reason that the body is incomplete; nil if it is complete.
    let failure: SessionError?
    /// The times from the start of the call to the arrival of the head, and to the end of the body.
    let headTime, bodyTime: Duration
    let timings: ExchangeTimings

    init(
        _ exchange: Exchange, _ decision: Decision, _ body: ResponseBody, _ trailers: HeaderFields,
        _ failure: SessionError?, _ headTime: Duration, _ bodyTime: Duration, _ timings: ExchangeTimings
    ) {
        (self.exchange, self.decision, self.body, self.trailers) = (exchange, decision, body, trailers)
        (self.failure, self.headTime, self.bodyTime, self.timings) = (failure, headTime, bodyTime, timings)
    }

    var terms: ResponseTerms { exchange.outgoing.terms }
}
