import PatchbayRegistry

/// The attempts of a call, for its interceptors, and the state of a stream that reconnects. Only the task of the call
/// uses it.
final class Tries {
    /// The field that names the last event of a stream (WHATWG HTML, section 9.2.4).
    static let placeField = "Last-Event-ID"

    /// The interceptors of the manager, then those of the request.
    let interceptors: [any RequestInterceptor]
    /// The interceptors that may sign.
    let signers: [any RequestInterceptor]
    var retries: [Int]
    /// The request of the attempt, after the interceptors; nil if there are none.
    var adapted: SessionRequest?
    /// The credentials that the interceptors put on it, and the hosts that may get them.
    var credentials: PutCredentials?
    /// The first exchange of the attempt; nil before it.
    var sent: ResponseReceiver?
    /// The body of the attempt, if another thread made it; nil after it was taken.
    var madeBody: Result<RequestBody, any Error>?
    /// The content that the last attempt wrote; nil for content that needs no registry.
    var written: WrittenContent?
    /// The number of retries before the connection that is being made.
    private(set) var earlierRetries = 0
    /// The id of the last event, for a stream that reconnects; empty for none, nil before the first reconnection.
    private(set) var place: String?
    /// The reconnection time that the stream has set.
    private(set) var reconnectionTime: Duration?
    /// The number of attempts since the last connection of the stream.
    private(set) var connections = 0

    init(of call: Call) {
        interceptors = call.manager.configuration.interceptors + call.task.request.interceptors
        signers = interceptors.isEmpty ? [] : interceptors.filter { !($0 is any NeverSigningInterceptor) }
        retries = [Int](repeating: 0, count: interceptors.count)
        // They stay in force until the request of the first attempt sets its own.
        call.setTimeouts(idle: call.task.request.idleTimeout, total: call.task.request.totalTimeout)
    }

    func beginNext() {
        leaveContent()
        (adapted, credentials, sent) = (nil, nil, nil)
    }

    /// Stops waiting for the content that is being read.
    func leaveContent() {
        if case .source(let source as ReadAhead) = sent?.exchange.outgoing.body { source.abandon() }
    }

    /// Whether making the body of the attempt may block.
    func contentMayBlock(of task: SessionTask) -> Bool {
        (adapted == nil ? task.request.content?.mayBlock : adapted?.content?.mayBlock) == true
    }

    /// The body that another thread made, once.
    func takeMadeBody() -> Result<RequestBody, any Error>? {
        defer { madeBody = nil }
        return madeBody
    }

    /// The stream had a connection, and reconnects from its last event.
    func beginConnections(at place: StreamPlace) {
        (self.place, connections) = (place.lastEventID, 0)
        reconnectionTime = place.reconnectionTime ?? reconnectionTime
    }

    /// Begins a connection of the stream. Its interceptors may retry as often as for any call.
    func beginConnection(after retries: Int) {
        connections += 1
        earlierRetries = retries
        self.retries = [Int](repeating: 0, count: interceptors.count)
        beginNext()
    }

    /// The request as its sender made it. If the stream reconnects, with the id of the last event.
    func request(of task: SessionTask) -> SessionRequest {
        guard let place else { return task.request }
        var request = task.request
        request.headers[Self.placeField] = place.isEmpty ? nil : place
        return request
    }
}

/// Retries: the interceptors decide whether a call is sent again. Without interceptors there are no retries.
extension Call {
    /// Lets the interceptors change the request of an attempt, one after the other.
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
                // The interceptors may have changed the URL to one that may get the credentials.
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
        // A signer that read the source would take bytes from the content.
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

    /// Returns when it is time for another attempt.
    /// - Throws: the failure, if there is no other attempt.
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

    /// Returns when it is time to send the request again, if an interceptor wants that.
    private func repeatTry(after failure: SessionError, _ tries: Tries) async throws(SessionError) {
        guard !tries.interceptors.isEmpty, failure.code != .cancelled, failure.code != .totalTimeout,
            // The elements that a reader got cannot be taken back, and a file that hangs is not begun again.
            stream?.isOpen != true, file?.isAbandoned != true
        else { throw failure }
        let asking = try await awaitRetry(after: failure, tries)
        tries.retries[asking] += 1
        if let body = tries.sent?.exchange.outgoing.body, case .source = body {
            // A body that cannot be sent twice fails with the first failure.
            guard try await inTime(after: failure, { await body.isRewound() }) else {
                throw SessionError(unrepeatable: failure)
            }
        }
        task.countRetry()
        task.post(.retrying(after: failure.withoutBody()))
        tries.beginNext()
    }

    /// Waits as long as the first interceptor that decides wants, and gives its position.
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

    /// Runs work of interceptors, or waits, at most until the call ends.
    func inTime<Made: Sendable>(
        after failure: SessionError? = nil, _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let stop = beginStep(isExchanging: false)
        var made: Made?
        // The timeout may have passed after a complete response without a value.
        if timeouts.ended == nil { made = await stop.bounding(work) }
        guard let made, timeouts.ended == nil else {
            throw SessionError(timeouts.ended ?? .cancelled, after: failure)
        }
        return made
    }

    /// The failure with the facts of the call.
    @inline(never)
    private func described(_ error: SessionError, _ tries: Tries) -> SessionError {
        var failure = error
        failure.facts.retries = task.retries - tries.earlierRetries
        failure.facts.writer = failure.facts.writer ?? tries.written?.lookup
        guard let sent = tries.sent?.exchange else { return failure }
        if sent.outgoing.body != nil { failure.nameUnsupportedType() }
        if let last = failure.request {
            // Whether the last exchange lacked a credential of the request.
            failure.facts.droppedCredentials = sent.outgoing.credentialFields.contains {
                sent.head.fields[$0] != nil && last.fields[$0] == nil
            }
        }
        return failure
    }
}

/// Reconnection: when the connection of a stream has ended, another one continues from the position of its reader.
extension Call {
    /// Returns when it is time for another connection, after the last one ended or could not be made.
    /// - Parameter failure: the failure of the last connection; nil if its body is complete.
    /// - Returns: false if there is no other connection.
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
        // A stream that was never open has no position to continue from.
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

    /// The reader for the elements of a response, after its validators have seen the head.
    /// - Parameters:
    ///   - last: the decision of the previous response, whose elements continue; nil for the first response.
    ///   - position: the position of the reader; nil for the first response.
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
        // With status 204 the server says that there are no more events.
        guard decision.head.status != 204 else { return reader }
        if let last, last.entryID != decision.entryID || reader.isFinished {
            throw SessionError(decision, insteadOf: last)
        }
        // The id in the request, even if its sender set it.
        let isTakenUp = reader.takeUp(after: decision.head.request.fields[Tries.placeField] ?? "", position)
        guard isTakenUp || reader.isFinished || stream?.reconnection == nil else {
            throw SessionError(withoutPlaces: decision)
        }
        return reader
    }
}
