import PatchbayRegistry

/// Retries: the interceptors decide whether a call is sent again. Without interceptors there are no retries.
extension Call {
    /// Lets the interceptors change the request of an attempt, one after the other.
    func adapt(_ attempt: CallAttempt) async throws(SessionError) {
        let (interceptors, request) = (attempt.interceptors, attempt.request(of: task))
        let notes = Adaptation(manager.base, manager.credentialScope)
        attempt.adaptation = notes
        let adapted = try await inTime { () async -> Result<SessionRequest, SessionError> in
            var request = request
            do {
                for interceptor in interceptors {
                    request.adaptation = notes
                    if let policy = interceptor as? RetryPolicy { notes.note(policy) }
                    request = try await interceptor.adapt(request)
                }
                request.adaptation = notes
                // An interceptor can have changed the URL to a URL that is allowed to get the credentials.
                for interceptor in interceptors where notes.withheld(interceptor) {
                    request = try await interceptor.adapt(request)
                }
            } catch {
                return .failure(SessionError(adapting: error))
            }
            return .success(request)
        }.get()
        attempt.adapted = adapted
        task.tell(.adapted(adapted.withoutContent()))
    }

    /// Lets the interceptors sign the request. No interceptor signs after a redirect to another origin.
    func sign(_ exchange: Exchange, _ attempt: CallAttempt) async throws(SessionError) -> Exchange {
        guard !exchange.outgoing.hasLeftOrigin else { return exchange }
        let (signers, head) = (attempt.signers, exchange.head)
        var body = exchange.outgoing.body
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
        guard fields != head.fields else { return exchange }
        let signed = Exchange(exchange, signed: fields)
        return exchange.hops.isEmpty ? noteFirst(signed, attempt) : signed
    }

    /// Returns the next attempt, when it is time for it.
    /// - Throws: the failure, if there is no other attempt.
    func next(after error: SessionError, _ attempt: CallAttempt) async throws(SessionError) -> CallAttempt {
        var (failure, beginsAgain) = (error, false)
        timeouts.endAttempt()
        if let file {
            let stop = timeouts.ended == nil ? beginStep(.working) : timeouts.stop
            (failure, _, beginsAgain) = await file.failed(error, unless: stop)
        }
        failure = described(failure, attempt)
        do throws(SessionError) {
            // Elements that a reader has received can't be taken back. A file whose system call hangs is not written
            // again.
            guard failure.code != .cancelled, failure.code != .totalTimeout, stream?.isOpen != true,
                file?.isAbandoned != true
            else { throw failure }
            var asking: Int?
            // To ask for the whole file is no retry of an interceptor, but the call can have ended meanwhile.
            if beginsAgain {
                try await inTime(after: failure) {}
            } else {
                asking = try await retry(after: failure, attempt)
            }
            tellRetry(after: failure, attempt)
            return attempt.next(for: asking)
        } catch {
            attempt.giveBack()
            guard let stream, let next = try await nextConnection(stream, after: error, attempt) else { throw error }
            return next
        }
    }

    /// Asks the interceptors for a retry, and returns when it is time to send the request again.
    /// - Returns: the index of the interceptor that asks for the retry.
    /// - Throws: the failure, if there is no retry.
    private func retry(after failure: SessionError, _ attempt: CallAttempt) async throws(SessionError) -> Int {
        guard !attempt.interceptors.isEmpty else { throw failure }
        let asking = try await awaitRetry(after: failure, attempt)
        if let body = attempt.first?.outgoing.body, case .source = body {
            // If the body can't be sent twice, there is no retry.
            if let refusal = try await inTime(after: failure, { await body.rewindFailure() }) {
                throw failure.adding("it was not tried again, because \(refusal.reason)")
            }
        }
        task.countRetry()
        return asking
    }

    @inline(never)
    func tellRetry(after failure: SessionError, _ attempt: CallAttempt) {
        guard manager.taskList.isObservedOrLogged else { return }
        let failure = timedSoFar(failure, attempt)
        if let traffic { log(traffic.taken(), .failure(failure)) }
        task.tell(.retrying(after: failure.withoutBody()))
    }

    /// The failure of an attempt, with the times up to now. The error that ends the call is timed at its end.
    func timedSoFar(_ failure: SessionError, _ attempt: CallAttempt) -> SessionError {
        failure.timed(since: attempt.start, ended: timeouts.elapsed)
    }

    /// Asks the interceptors in order, and waits for the delay of the first interceptor that decides. Returns the index
    /// of that interceptor.
    private func awaitRetry(after failure: SessionError, _ attempt: CallAttempt) async throws(SessionError) -> Int {
        attempt.beginReserving()
        let adapted = attempt.adapted ?? attempt.request(of: task)
        let (interceptors, retries, notes, asked) = (
            attempt.interceptors, attempt.retries, attempt.adaptation, timedSoFar(failure, attempt)
        )
        let (decision, index) = try await inTime(after: failure) { () async -> (RetryDecision, Int) in
            for (index, interceptor) in interceptors.enumerated() {
                var asked = asked
                (asked.facts.ownRetries, asked.facts.adaptation) = (retries[index], notes)
                let decision = await interceptor.retry(adapted, after: asked)
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
        case .doNotRetry: throw failure.adding(attempt.adaptation?.refusal)
        case .doNotRetryWithError(let error): throw SessionError(retrying: failure, error)
        }
    }

    /// Runs work between exchanges, such as an interceptor or a delay, at most until the call ends.
    func inTime<Made: Sendable>(
        after failure: SessionError? = nil, _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let stop = beginStep(.working)
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
    private func described(_ error: SessionError, _ attempt: CallAttempt) -> SessionError {
        var failure = error
        failure.facts.retries = task.retries - (attempt.reconnections?.earlierRetries ?? 0)
        failure.facts.writer = failure.facts.writer ?? attempt.written?.lookup
        guard let first = attempt.first else { return failure }
        // The call of a stream can end between two connections.
        if stream != nil, failure.request == nil { failure = failure.with(first.head) }
        if first.outgoing.body != nil { failure.nameUnsupportedType() }
        if let last = failure.request {
            // Whether the last exchange lacked a credential of the request.
            failure.facts.droppedCredentials = first.outgoing.credentialFields.contains {
                first.head.fields[$0] != nil && last.fields[$0] == nil
            }
        }
        return failure
    }
}
