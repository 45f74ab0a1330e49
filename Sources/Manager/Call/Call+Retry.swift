import PatchbayRegistry

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
                // An interceptor can have changed the URL to a URL that is allowed to get the credentials.
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

    /// Lets the interceptors sign the request. No interceptor signs after a redirect to another origin.
    func sign(_ receiver: ResponseReceiver, _ tries: Tries) async throws(SessionError) -> ResponseReceiver {
        guard !receiver.exchange.outgoing.hasLeftOrigin else { return receiver }
        let (signers, head) = (tries.signers, receiver.exchange.head)
        var body = receiver.exchange.outgoing.body
        // A signer that read the source would consume bytes of the content.
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
        exchange.outgoing.acceptIdentity(&exchange.head.fields)
        let signed = ResponseReceiver(self, exchange)
        if exchange.hops.isEmpty { tries.sent = signed }
        return signed
    }

    /// Returns when it is time for another attempt.
    /// - Throws: the failure, if there is no other attempt.
    func tryAgain(after error: SessionError, _ tries: Tries) async throws(SessionError) {
        var (failure, beginsAgain) = (error, false)
        timeouts.endAttempt()
        if let file {
            let stop = timeouts.ended == nil ? beginStep(isExchanging: false) : timeouts.stop
            (failure, _, beginsAgain) = await file.failed(error, unless: stop)
        }
        failure = described(failure, tries)
        do throws(SessionError) {
            // Elements that a reader has received can't be taken back. A file whose system call hangs is not written
            // again.
            guard failure.code != .cancelled, failure.code != .totalTimeout, stream?.isOpen != true,
                file?.isAbandoned != true
            else { throw failure }
            // To ask for the whole file is no retry of an interceptor, but the call can have ended meanwhile.
            try await beginsAgain ? inTime(after: failure) {} : retry(after: failure, tries)
            task.post(.retrying(after: timedSoFar(failure, tries).withoutBody()))
            tries.beginNext()
        } catch {
            tries.giveBack()
            guard let stream, try await goesOn(stream, after: error, tries) else { throw error }
        }
    }

    /// Asks the interceptors for a retry, and returns when it is time to send the request again.
    /// - Throws: the failure, if there is no retry.
    private func retry(after failure: SessionError, _ tries: Tries) async throws(SessionError) {
        guard !tries.interceptors.isEmpty else { throw failure }
        let asking = try await awaitRetry(after: failure, tries)
        tries.retries[asking] += 1
        if let body = tries.sent?.exchange.outgoing.body, case .source = body {
            // If the body can't be sent twice, there is no retry.
            guard try await inTime(after: failure, { await body.isRewound() }) else {
                throw SessionError(unrepeatable: failure)
            }
        }
        task.countRetry()
    }

    /// The failure of an attempt, with the times up to now. The error that ends the call is timed at its end.
    private func timedSoFar(_ failure: SessionError, _ tries: Tries) -> SessionError {
        failure.timed(since: tries.start, ended: timeouts.elapsed)
    }

    /// Asks the interceptors in order, and waits for the delay of the first interceptor that decides. Returns the index
    /// of that interceptor.
    private func awaitRetry(after failure: SessionError, _ tries: Tries) async throws(SessionError) -> Int {
        let (interceptors, request, retries) = (
            tries.interceptors, tries.adapted ?? tries.request(of: task), tries.retries
        )
        let (asked, reservation) = (timedSoFar(failure, tries), tries.reserve())
        let (decision, index) = try await inTime(after: failure) { () async -> (RetryDecision, Int) in
            for (index, interceptor) in interceptors.enumerated() {
                var asked = asked
                (asked.facts.ownRetries, asked.facts.reservation) = (retries[index], reservation)
                let decision = await interceptor.retry(request, after: asked)
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
        case .doNotRetry: throw reservation.spentHost.map { SessionError(spentBudget: failure, of: $0) } ?? failure
        case .doNotRetryWithError(let error): throw SessionError(retrying: failure, error)
        }
    }

    /// Runs work between exchanges, such as an interceptor or a delay, at most until the call ends.
    func inTime<Made: Sendable>(
        after failure: SessionError? = nil, _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let stop = beginStep(isExchanging: false)
        var made: Made?
        // The total timeout can have passed after a complete response that gave no value.
        if timeouts.ended == nil { made = await stop.bounding(work) }
        guard let made, timeouts.ended == nil else {
            throw SessionError(timeouts.ended ?? .cancelled, after: failure)
        }
        return made
    }

    /// Returns the failure with facts about the call added.
    @inline(never)
    private func described(_ error: SessionError, _ tries: Tries) -> SessionError {
        var failure = error
        failure.facts.retries = task.retries - tries.earlierRetries
        failure.facts.writer = failure.facts.writer ?? tries.written?.lookup
        guard let sent = tries.sent?.exchange else { return failure }
        // The call of a stream can end between two connections.
        if stream != nil, failure.request == nil { failure = failure.with(sent.head) }
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
    /// Returns when it is time for another connection, after the last connection ended or could not be made.
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
            if place.hasIgnoredID, !tries.hasNotedIgnoredID {
                tries.hasNotedIgnoredID = true
                task.post(.noted("the id of an event was ignored, because no request can send it"))
            }
        }
        // A stream that was never open has no position to continue from.
        guard tries.place != nil, tries.connections < reconnection.maximumAttempts ?? .max else { return false }
        let pause = pause(before: reconnection, tries)
        let sleep = manager.configuration.sleep
        try await inTime(after: failure) { await sleep(pause) }
        guard !manager.taskList.isClosed else { return false }
        tries.beginConnection(after: task.retries)
        if let failure { task.post(.retrying(after: timedSoFar(failure, tries).withoutBody())) }
        return true
    }

    private func pause(before reconnection: EventReconnection, _ tries: Tries) -> Duration {
        reconnection.pause(
            tries.reconnectionTime, after: tries.connections, spread: manager.configuration.random())
    }

    /// Returns the reader for the elements of a response. The validators of the request check the head first.
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
            reader = try ElementReader(decision)
        } catch {
            throw SessionError(error, decision, .empty)
        }
        // With status 204 the server says that there are no more events.
        guard decision.head.status != 204 else { return reader }
        if let last, last.entryID != decision.entryID || reader.isFinished {
            throw SessionError(decision, insteadOf: last)
        }
        // The reader continues after the id in the request, even if the caller set that id.
        let isTakenUp = reader.takeUp(after: decision.head.request.fields[Tries.placeField] ?? "", position)
        guard isTakenUp || reader.isFinished || stream?.reconnection == nil else {
            throw SessionError(withoutPlaces: decision)
        }
        return reader
    }
}
