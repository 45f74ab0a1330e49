import PatchbayRegistry

/// What the interceptors of a call have to know of its tries. Touched by the task of the call alone.
final class Tries {
    /// The manager's first.
    let interceptors: [any RequestInterceptor]
    /// How often each of them had the call tried again.
    var retries: [Int]
    /// The request of the try, as the interceptors made it; nil where there are none.
    var adapted: HTTPRequest?
    /// What the try sent first; nil before that.
    var sent: ResponseReceiver?

    init(of call: Call) {
        interceptors = call.manager.configuration.interceptors + call.task.request.interceptors
        retries = [Int](repeating: 0, count: interceptors.count)
        // Until the request of the first try has its own.
        call.setTimeouts(idle: call.task.request.idleTimeout, total: call.task.request.totalTimeout)
    }

    /// Another try comes.
    func beginNext() { (adapted, sent) = (nil, nil) }
}

/// How often a call is made: as often as its interceptors want it. One without interceptors is made once.
extension Call {
    /// Lets the interceptors change the request of a try, each what the one before it left.
    func adapt(_ tries: Tries) async throws(SessionError) {
        let (interceptors, request) = (tries.interceptors, task.request)
        let adapted = try await inTime { () async -> Result<HTTPRequest, SessionError> in
            var request = request
            for interceptor in interceptors {
                do { request = try await interceptor.adapt(request) } catch {
                    return .failure(SessionError(adapting: error))
                }
            }
            return .success(request)
        }.get()
        tries.adapted = adapted
        task.post(.adapted(adapted.withoutContent()))
    }

    /// Returns when it is time for another try.
    /// - Throws: where there is to be none.
    func tryAgain(after error: SessionError, _ tries: Tries) async throws(SessionError) {
        let failure = described(await file?.failed(error) ?? error, tries)
        guard !tries.interceptors.isEmpty, failure.code != .cancelled, failure.code != .totalTimeout,
            // What was read of a stream cannot be unread.
            stream?.isOpen != true
        else { throw failure }
        let asking = try await awaitRetry(after: failure, tries)
        tries.retries[asking] += 1
        if case .source = tries.sent?.outgoing.body, let body = tries.sent?.outgoing.body {
            // What cannot be sent twice fails with what went wrong the first time.
            guard try await inTime(after: failure, { await body.isRewound() }) else { throw failure }
        }
        task.countRetry()
        task.post(.retrying(after: failure.withoutBody()))
        tries.beginNext()
    }

    /// Waits for as long as the first interceptor that does not leave it to the others wants; gives which one it is.
    private func awaitRetry(after failure: SessionError, _ tries: Tries) async throws(SessionError) -> Int {
        let (interceptors, request, retries) = (tries.interceptors, tries.adapted ?? task.request, tries.retries)
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

    /// Lets the interceptors work for as long as the call may last.
    private func inTime<Made: Sendable>(
        after failure: SessionError? = nil, _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let made = await beginStep(isExchanging: false).bounding(work)
        guard let made, timeouts.ended == nil else {
            throw SessionError(timeouts.ended ?? .cancelled, after: failure)
        }
        return made
    }

    /// The failure with what the call knows besides.
    @inline(never)
    private func described(_ error: SessionError, _ tries: Tries) -> SessionError {
        var failure = error
        failure.facts.retries = task.retries
        if let last = failure.request, let sent = tries.sent?.outgoing {
            // Whether a credential of the request was missing in its last exchange.
            failure.facts.droppedCredentials = manager.configuration.credentialFields.contains {
                sent.fields[$0] != nil && last.fields[$0] == nil
            }
        }
        return failure
    }
}
