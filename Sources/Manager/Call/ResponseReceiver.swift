import PatchbayRegistry

/// One response as far as it has arrived.
struct ReceivedResponse: Sendable {
    enum Kind: Sendable {
        /// To be followed; its body is not kept.
        case redirect(ResponseHead, location: String)
        /// The response of the call.
        case final(Decision)
    }

    let kind: Kind
    /// Where the bytes of the body go; nil for those that nobody is to have.
    let sink: (any BodySink)?
    /// When the head had arrived, counted from the start of the call.
    let headTime: Duration
    /// How large the body may be.
    let limit: Int
    /// How many bytes of the body there are, those of a file that is resumed among them.
    var count: Int
    /// The body is larger than the limit; what was kept is its beginning.
    var isTooLarge = false
    /// The sink could not take the bytes.
    var isUntaken = false
    /// Why the body is not complete; nil where it is.
    var failure: SessionError?
    /// When the body had arrived, or had come to its end.
    var bodyTime = Duration.zero
    var timings = ExchangeTimings()

    var head: ResponseHead {
        switch kind {
        case .redirect(let head, _): head
        case .final(let decision): decision.head
        }
    }
}

/// Receives the response of one exchange: asks the registry when the head arrives, then hands the body to a sink, up to its limit.
///
/// Called in turns of the transport, one at a time; the call reads what has arrived when the exchange is over.
final class ResponseReceiver: ExchangeReceiver {
    /// How much of a redirect's body is read so that its connection can be used again.
    private static let redirectBodyLimit = 65_536

    let stop: Signal
    private let call: Call
    private let request: RequestHead
    private let host: CanonicalHost
    private let terms: ResponseTerms
    private let arrived = Guarded<ReceivedResponse?>(nil)
    /// What the redirect handler said of the head, once it has been asked.
    private let answer = Guarded<Bool?>(nil)

    init(_ call: Call, _ head: RequestHead, to host: CanonicalHost, _ terms: ResponseTerms, stop: Signal) {
        self.call = call
        self.request = head
        self.host = host
        self.terms = terms
        self.stop = stop
    }

    /// What has arrived; nil before the head.
    var response: ReceivedResponse? { arrived.withLock { $0 } }

    func receive(status: Int, fields: HeaderFields) -> Flow {
        if let pause = call.task.pause() { return .wait(pause) }
        let elapsed = call.timeouts.touch()
        let head = ResponseHead(status: status, fields: fields, url: request.url, host: host, request: request)
        let length = Self.announcedLength(head)
        let response: ReceivedResponse
        if let location = Redirect.location(status, fields) {
            guard let follows = follows(head) else { return .wait(asking(head)) }
            response = follows ? redirect(head, to: location, elapsed) : final(head, length, elapsed)
        } else {
            response = final(head, length, elapsed)
        }
        return arrived.withLock { arrived in
            arrived = response
            // A body that says it is too large is not waited for.
            guard let length, length > response.limit - response.count else { return .proceed }
            arrived?.isTooLarge = true
            return .stop
        }
    }

    func receive(_ chunk: UnsafeRawBufferPointer) -> Flow {
        if let pause = call.task.pause() { return .wait(pause) }
        call.timeouts.touch()
        let (flow, isKept) = take(chunk)
        if isKept { call.task.received(chunk.count) }
        return flow
    }

    func sent(_ bytes: Int) {
        call.timeouts.touch()
        call.task.sent(bytes)
    }

    /// The receiver's own lock is held while the sink takes the bytes: whoever else wants it waits for the exchange to end anyway.
    private func take(_ chunk: UnsafeRawBufferPointer) -> (Flow, isKept: Bool) {
        arrived.withLock { arrived in
            guard let room = arrived.map({ $0.limit - $0.count }) else { return (.stop, false) }
            guard chunk.count <= room else {
                arrived?.isTooLarge = true
                return (.stop, false)
            }
            let flow = arrived?.sink?.append(chunk)
            switch flow {
            case .proceed, nil: arrived?.count += chunk.count
            case .stop: arrived?.isUntaken = true
            case .wait: break
            }
            if case .proceed = flow { return (.proceed, true) }
            return (flow ?? .proceed, false)
        }
    }

    private func redirect(_ head: ResponseHead, to location: String, _ elapsed: Duration) -> ReceivedResponse {
        ReceivedResponse(
            kind: .redirect(head, location: location), sink: nil, headTime: elapsed,
            limit: Self.redirectBodyLimit, count: 0)
    }

    /// The response of the call: who serializes it is decided now, and with it where the body goes, and how much of it.
    ///
    /// Into the file of a download that is accepted, into memory all else: an error's body, and what nobody is to have.
    private func final(_ head: ResponseHead, _ length: Int?, _ elapsed: Duration) -> ReceivedResponse {
        let decision = call.registry.decision(for: head, producing: call.wanted, override: terms.override)
        var limit = decision.bodyLimit
        let sink: any BodySink
        if let file = call.file, decision.isAcceptable, decision.outcome != .error {
            sink = file
            if !file.isSerialized { limit = .max }
        } else {
            sink = MemorySink(expected: length ?? 0)
        }
        let offset = sink.open(head) { [stop] in stop.fire() }
        call.task.answered(decision, length: length, after: offset)
        return ReceivedResponse(
            kind: .final(decision), sink: sink, headTime: elapsed, limit: min(limit, terms.maximumBodyBytes ?? .max),
            count: offset)
    }

    // MARK: The redirect handler

    /// Whether a redirect is followed; nil where its handler has to be asked, which may take its time.
    private func follows(_ head: ResponseHead) -> Bool? {
        guard terms.redirects.asks else { return terms.redirects.follows(head) }
        return answer.withLock { $0 }
    }

    /// Asks the handler where it holds nobody up.
    /// - Returns: what fires when it has answered.
    private func asking(_ head: ResponseHead) -> Signal {
        let answered = Signal()
        Task.detached { [self] in
            let follows = terms.redirects.follows(head)
            answer.withLock { $0 = follows }
            answered.fire()
        }
        return answered
    }

    /// How many bytes the body is to have; nil where the head does not say, or where none can come.
    private static func announcedLength(_ head: ResponseHead) -> Int? {
        // With a content coding the length is that of other bytes.
        guard head.canHaveBody, !head.fields.hasContentCoding else { return nil }
        return head.fields["Content-Length"].flatMap { Int($0) }
    }
}
