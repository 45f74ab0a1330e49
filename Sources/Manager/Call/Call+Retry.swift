import PatchbayRegistry

/// What the interceptors of a call have to know of its tries, and where a stream goes on. Touched by the task of the call alone.
final class Tries {
    /// What names the last event of a stream (WHATWG HTML, section 9.2.4).
    static let placeField = "Last-Event-ID"

    /// The manager's first.
    let interceptors: [any RequestInterceptor]
    /// The interceptors that may sign.
    let signers: [any RequestInterceptor]
    var retries: [Int]
    /// The request of the try, as the interceptors made it; nil where there are none.
    var adapted: SessionRequest?
    /// What they put on it, and where that may go.
    var credentials: PutCredentials?
    /// What the try sent first; nil before that.
    var sent: ResponseReceiver?
    /// The body of the try, where it was made aside; nil once it was taken.
    var madeBody: Result<RequestBody, any Error>?
    /// The content that the last attempt wrote; nil for content that needs no registry.
    var written: WrittenContent?
    /// How often the call was tried again before the connection that is asked for now.
    private(set) var earlierRetries = 0
    /// The id of the last event of a stream that is asked for again, empty for none; nil before it is.
    private(set) var place: String?
    /// What the stream has said of the wait before that.
    private(set) var reconnectionTime: Duration?
    /// How often it was asked for since its last connection.
    private(set) var connections = 0

    init(of call: Call) {
        interceptors = call.manager.configuration.interceptors + call.task.request.interceptors
        signers = interceptors.isEmpty ? [] : interceptors.filter { !($0 is any NeverSigningInterceptor) }
        retries = [Int](repeating: 0, count: interceptors.count)
        // Until the request of the first try has its own.
        call.setTimeouts(idle: call.task.request.idleTimeout, total: call.task.request.totalTimeout)
    }

    func beginNext() {
        leaveContent()
        (adapted, credentials, sent) = (nil, nil, nil)
    }

    /// What is read of the content of the try is not waited for any more.
    func leaveContent() {
        if case .source(let source as ReadAhead) = sent?.exchange.outgoing.body { source.abandon() }
    }

    /// Whether making a body of the content of the try may block.
    func contentMayBlock(of task: SessionTask) -> Bool {
        (adapted == nil ? task.request.content?.mayBlock : adapted?.content?.mayBlock) == true
    }

    /// The body that was made aside, once.
    func takeMadeBody() -> Result<RequestBody, any Error>? {
        defer { madeBody = nil }
        return madeBody
    }

    /// A stream had a connection, and is asked for again from where it ended.
    func beginConnections(at place: StreamPlace) {
        (self.place, connections) = (place.lastEventID, 0)
        reconnectionTime = place.reconnectionTime ?? reconnectionTime
    }

    /// The stream is asked for, for which its interceptors have as many tries as for any call.
    func beginConnection(after retries: Int) {
        connections += 1
        earlierRetries = retries
        self.retries = [Int](repeating: 0, count: interceptors.count)
        beginNext()
    }

    /// The request as its sender made it, and of a stream that is asked for again the last event in it.
    func request(of task: SessionTask) -> SessionRequest {
        guard let place else { return task.request }
        var request = task.request
        request.headers[Self.placeField] = place.isEmpty ? nil : place
        return request
    }
}

/// How often a call is made: as often as its interceptors want it. One without interceptors is made once.
extension Call {
    /// Lets the interceptors change the request of a try, each what the one before it left.
    func adapt(_ tries: Tries) async throws(SessionError) {
        let (interceptors, request) = (tries.interceptors, tries.request(of: task))
        let credentials = PutCredentials(manager.base, manager.credentialScope)
        let adapted = try await inTime { () async -> Result<SessionRequest, SessionError> in
            var request = request
            do {
                for interceptor in interceptors {
                    request.putCredentials = credentials
                    request = try await interceptor.adapt(request)
                }
                request.putCredentials = credentials
                // The URL may have become one that they may go to.
                for interceptor in interceptors where credentials.withheld(interceptor) {
                    request = try await interceptor.adapt(request)
                }
            } catch {
                return .failure(SessionError(adapting: error))
            }
            return .success(request)
        }.get()
        (tries.adapted, tries.credentials) = (adapted, credentials)
        task.post(.adapted(adapted.withoutContent()))
    }

    /// Lets the interceptors sign the request. After a redirect to another origin no interceptor signs.
    func sign(_ receiver: ResponseReceiver, _ tries: Tries) async throws(SessionError) -> ResponseReceiver {
        guard !receiver.exchange.outgoing.hasLeftOrigin else { return receiver }
        let (signers, head) = (tries.signers, receiver.exchange.head)
        var body = receiver.exchange.outgoing.body
        // A signer that reads a source would take from it what is to be sent.
        if case .source(let source) = body { body = .source(ConsumedSource(length: source.length)) }
        let fields = try await inTime { [body] () async -> Result<HeaderFields, SessionError> in
            var signed = head
            do {
                for signer in signers { try await signer.sign(&signed, body: body) }
                try RequestCheck.check(signed.fields)
            } catch {
                return .failure(SessionError(adapting: error).with(head))
            }
            return .success(signed.fields)
        }.get()
        beginStep(isExchanging: true)
        guard fields != head.fields else { return receiver }
        var exchange = receiver.exchange
        exchange.head.fields = fields
        let signed = ResponseReceiver(self, exchange)
        if exchange.redirects == 0 { tries.sent = signed }
        return signed
    }

    /// Returns when it is time for another try.
    /// - Throws: where there is to be none.
    func tryAgain(after error: SessionError, _ tries: Tries) async throws(SessionError) {
        var failure = error
        if let file {
            let stop = timeouts.ended == nil ? beginStep(isExchanging: false) : timeouts.stop
            failure = await file.failed(error, unless: stop)
        }
        failure = described(failure, tries)
        do throws(SessionError) {
            try await repeatTry(after: failure, tries)
        } catch {
            guard let stream, try await goesOn(stream, after: error, tries) else { throw error }
        }
    }

    /// Returns when it is time to send the request again, as one of the interceptors wants it.
    private func repeatTry(after failure: SessionError, _ tries: Tries) async throws(SessionError) {
        guard !tries.interceptors.isEmpty, failure.code != .cancelled, failure.code != .totalTimeout,
            // What was read of a stream cannot be unread, and a file that hangs is not begun again.
            stream?.isOpen != true, file?.isAbandoned != true
        else { throw failure }
        let asking = try await awaitRetry(after: failure, tries)
        tries.retries[asking] += 1
        if let body = tries.sent?.exchange.outgoing.body, case .source = body {
            // What cannot be sent twice fails with what went wrong the first time.
            guard try await inTime(after: failure, { await body.isRewound() }) else {
                throw SessionError(unrepeatable: failure)
            }
        }
        task.countRetry()
        task.post(.retrying(after: failure.withoutBody()))
        tries.beginNext()
    }

    /// Waits for as long as the first interceptor that does not leave it to the others wants; gives which one it is.
    private func awaitRetry(after failure: SessionError, _ tries: Tries) async throws(SessionError) -> Int {
        let (interceptors, request, retries) = (
            tries.interceptors, tries.adapted ?? tries.request(of: task), tries.retries
        )
        let (decision, index) = try await inTime(after: failure) { () async -> (RetryDecision, Int) in
            for (index, interceptor) in interceptors.enumerated() {
                var failure = failure
                failure.facts.ownRetries = retries[index]
                let decision = await interceptor.retry(request, after: failure)
                if case .doNotRetry = decision { continue }
                return (decision, index)
            }
            return (.doNotRetry, 0)
        }
        switch decision {
        case .retry: return index
        case .retryAfter(let delay):
            let sleep = manager.configuration.sleep
            try await inTime(after: failure) { await sleep(delay) }
            return index
        case .doNotRetry: throw failure
        case .doNotRetryWithError(let error): throw SessionError(retrying: failure, error)
        }
    }

    /// Lets the interceptors work, or waits, for as long as the call may last.
    func inTime<Made: Sendable>(
        after failure: SessionError? = nil, _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let stop = beginStep(isExchanging: false)
        var made: Made?
        // The time of a whole response that has no value may be over.
        if timeouts.ended == nil { made = await stop.bounding(work) }
        guard let made, timeouts.ended == nil else {
            throw SessionError(timeouts.ended ?? .cancelled, after: failure)
        }
        return made
    }

    /// The failure with what the call knows besides.
    @inline(never)
    private func described(_ error: SessionError, _ tries: Tries) -> SessionError {
        var failure = error
        failure.facts.retries = task.retries - tries.earlierRetries
        failure.facts.writer = failure.facts.writer ?? tries.written?.lookup
        guard let sent = tries.sent?.exchange else { return failure }
        if sent.outgoing.body != nil { failure.nameUnsupportedType() }
        if let last = failure.request {
            // Whether a credential of the request was missing in its last exchange.
            failure.facts.droppedCredentials = sent.outgoing.credentialFields.contains {
                sent.head.fields[$0] != nil && last.fields[$0] == nil
            }
        }
        return failure
    }
}

/// How a stream goes on when its connection has ended: with another, asked for from where its reader is.
extension Call {
    /// Returns when it is time for another connection: the last one is over, well or not, or could not be made.
    /// - Parameter failure: why it is over; nil where the body is complete.
    /// - Returns: false where there is to be none.
    func goesOn(
        _ stream: StreamSink, after failure: SessionError? = nil, _ tries: Tries
    ) async throws(SessionError) -> Bool {
        guard let reconnection = stream.reconnection, failure.map(EventReconnection.mayPass) ?? stream.isOpen else {
            return false
        }
        if stream.isOpen {
            guard let place = try await inTime(after: failure, { await stream.gap() }) else { return false }
            tries.beginConnections(at: place)
        }
        // One that was never open has no place to go on from.
        guard tries.place != nil, tries.connections < reconnection.maximumAttempts ?? .max else { return false }
        let pause = pause(before: reconnection, tries)
        let sleep = manager.configuration.sleep
        try await inTime(after: failure) { await sleep(pause) }
        guard !manager.taskList.isClosed else { return false }
        tries.beginConnection(after: task.retries)
        if let failure { task.post(.retrying(after: failure.withoutBody())) }
        return true
    }

    private func pause(before reconnection: EventReconnection, _ tries: Tries) -> Duration {
        reconnection.pause(
            tries.reconnectionTime, after: tries.connections, spread: manager.configuration.random())
    }

    /// What finds the elements of a response, once its validators have seen the head.
    /// - Parameters:
    ///   - last: the one before, whose elements it is to go on with; nil for the first.
    ///   - position: where the reader of the elements is; nil for the first.
    func elementReader<Element: Sendable>(
        _ opening: StreamSink.Opening, after last: Decision?, _ position: StreamPosition? = nil
    ) throws(SessionError) -> ElementReader<Element> {
        let decision = opening.decision
        try validate(decision, .empty, opening.terms.validators)
        var reader: ElementReader<Element>
        do throws(LookupFailure) {
            reader = try ElementReader(decision, cappedBy: opening.terms.maximumBodyBytes)
        } catch {
            throw SessionError(error, decision, .empty)
        }
        // No content is the server's way to say that it has no more.
        guard decision.head.status != 204 else { return reader }
        if let last, last.entryID != decision.entryID || reader.isFinished {
            throw SessionError(decision, insteadOf: last)
        }
        // The id that the request was sent with, be it the sender's own.
        let isTakenUp = reader.takeUp(after: decision.head.request.fields[Tries.placeField] ?? "", position)
        guard isTakenUp || reader.isFinished || stream?.reconnection == nil else {
            throw SessionError(withoutPlaces: decision)
        }
        return reader
    }
}
