import PatchbayRegistry

extension SessionManager {
    /// Makes the call, as often as its interceptors want it. One without interceptors is made once.
    ///
    /// The total clock spans all of it; each exchange has an idle clock of its own. Each try has the timeouts that interceptors and
    /// the modifier have left it, and these hold until the next try has its own.
    func retrying(
        _ task: SessionTask, _ file: FileTarget?,
        _ exchange: (HTTPRequest, OutgoingRequest, ExchangeClock) async throws(SessionError) -> Reply<any Sendable>
    ) async throws(SessionError) -> Reply<any Sendable> {
        let start = ContinuousClock.now
        let chain = InterceptorChain(interceptors: configuration.interceptors + task.request.interceptors)
        // Of each interceptor.
        var retries = [Int](repeating: 0, count: chain.interceptors.count)
        var timeouts = Timeouts(task.request)
        while true {
            var request = task.request
            var sent: OutgoingRequest?
            var failure: SessionError
            do throws(SessionError) {
                request = try await adapt(task, with: chain, timeouts, since: start)
                if !chain.isEmpty { task.post(.adapted(request.withoutContent())) }
                let prepared = try request.prepared(by: configuration.requestSerializer)
                timeouts = Timeouts(prepared)
                var outgoing = try OutgoingRequest(prepared, base: base, defaults: headers)
                try file?.prepare(&outgoing)
                sent = outgoing
                let clock = startClock(of: task, timeouts, since: start)
                defer { clocks.forget(clock) }
                var reply = try await exchange(prepared, outgoing, clock)
                reply.timeline.retries = task.retries
                return reply
            } catch {
                failure = file?.failed(error) ?? error
            }
            failure.facts.retries = task.retries
            failure.facts.droppedCredentials = lacksCredentials(failure.request, of: sent)
            let asking = try await awaitRetry(
                of: request, task, with: chain, retries, timeouts, since: start, after: failure)
            retries[asking] += 1
            if case .source(let source) = sent?.body {
                // What cannot be sent twice fails with what went wrong the first time.
                do { try source.rewind() } catch { throw failure }
            }
            task.countRetry()
            task.post(.retrying(after: failure.withoutBody()))
        }
    }

    private func adapt(
        _ task: SessionTask, with chain: InterceptorChain, _ timeouts: Timeouts, since start: ContinuousClock.Instant
    ) async throws(SessionError) -> HTTPRequest {
        guard !chain.isEmpty else { return task.request }
        return try await inTime(task, timeouts, since: start) { await chain.adapt(task.request) }.get()
    }

    /// Returns when it is time for another try, and which interceptor wants it.
    /// - Throws: where there is to be none.
    private func awaitRetry(
        of request: HTTPRequest, _ task: SessionTask, with chain: InterceptorChain, _ retries: [Int],
        _ timeouts: Timeouts, since start: ContinuousClock.Instant, after failure: SessionError
    ) async throws(SessionError) -> Int {
        guard !chain.isEmpty, failure.code != .cancelled, failure.code != .totalTimeout else { throw failure }
        let (decision, index) = try await inTime(task, timeouts, since: start, after: failure) {
            await chain.decision(request, after: failure, retries)
        }
        switch decision {
        case .retry: return index
        case .retryAfter(let delay):
            let sleep = configuration.sleep
            try await inTime(task, timeouts, since: start, after: failure) { await sleep(delay) }
            return index
        case .doNotRetry: throw failure
        case .doNotRetryWithError(let error): throw SessionError(retrying: failure, error)
        }
    }

    /// Lets the interceptors work for as long as the call may last.
    private func inTime<Made: Sendable>(
        _ task: SessionTask, _ timeouts: Timeouts, since start: ContinuousClock.Instant,
        after failure: SessionError? = nil,
        _ work: @escaping @Sendable () async -> Made
    ) async throws(SessionError) -> Made {
        let clock = startClock(of: task, timeouts, since: start, isExchanging: false)
        defer { clocks.forget(clock) }
        let made = await withTaskCancellationHandler {
            await clock.stop.bounding(work)
        } onCancel: {
            task.cancel()
        }
        guard let made, clock.ended == nil else {
            throw SessionError(clock.ended ?? .cancelled, after: failure)
        }
        return made
    }

    /// Whether a credential of the request was missing in its last exchange.
    private func lacksCredentials(_ last: RequestHead?, of sent: OutgoingRequest?) -> Bool {
        guard let last, let sent else { return false }
        return configuration.credentialFields.contains { sent.fields[$0] != nil && last.fields[$0] == nil }
    }
}
