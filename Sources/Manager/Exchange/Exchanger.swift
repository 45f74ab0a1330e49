import PatchbayRegistry

/// Carries one call over the transport, redirect by redirect, to the response that is to be serialized.
struct Exchanger {
    let transport: any Transport
    let configuration: SessionConfiguration
    let question: ResponseCollector.Question
    let cookies: (any CookieStore)?
    let clock: ExchangeClock
    let task: SessionTask

    /// - Throws: `SessionError` where no head of a final response arrived. A body that broke off is in the result.
    func run(_ first: OutgoingRequest) async throws(SessionError) -> ExchangeResult {
        if let cookies, !transport.keeps(cookies) { throw SessionError(TransportFailure.keepsNoCookies) }
        var request = first
        var redirects = 0
        while true {
            let (collector, timings, failure) = await exchange(request)
            if case .cancelled = clock.ended { throw SessionError(ExchangeClock.End.cancelled).with(collector.request) }
            guard let arrival = collector.arrival else {
                throw (clock.ended.map { SessionError($0) } ?? failure ?? SessionError(.noHead)).with(collector.request)
            }
            switch arrival.kind {
            case .response(let decision):
                return ExchangeResult(
                    decision: decision, body: arrival.store.body, file: arrival.store.file,
                    bodyFailure: bodyFailure(arrival, decision, failure),
                    timings: timings, headTime: arrival.headTime, bodyTime: clock.elapsed, redirects: redirects)
            case .redirect(let location):
                if let end = clock.ended { throw SessionError(end).with(arrival.head) }
                guard redirects < configuration.maximumRedirects else {
                    throw SessionError(tooManyRedirects: configuration.maximumRedirects).with(arrival.head)
                }
                redirects += 1
                do {
                    request = try Redirect.next(
                        after: request, arrival.head, location: location,
                        credentialFields: configuration.credentialFields, question.redirects)
                } catch {
                    throw SessionError(refusedRedirect: error, status: arrival.head.status).with(arrival.head)
                }
                task.post(.redirected(arrival.head, to: request.url))
            }
        }
    }

    private func exchange(
        _ request: OutgoingRequest
    ) async -> (ResponseCollector, ExchangeTimings, SessionError?) {
        let head = request.head(question)
        let collector = ResponseCollector(head, host: request.host, question, clock, task)
        await task.proceed()
        guard clock.ended == nil else { return (collector, ExchangeTimings(), SessionError(.notSent)) }
        var exchange = TransportRequest(head: head, body: request.body)
        exchange.cookies = cookies
        task.sending(exchange)
        exchange.mayPause = task.request.isPausable
        let body = request.body.flatMap { SentBody($0, of: task) }
        if let body { exchange.body = .source(body) }
        do throws(TransportFailure) {
            return (collector, try await transport.perform(exchange, for: collector), nil)
        } catch {
            let failure = body?.failure.map { SessionError(unreadableContent: $0) }
            return (collector, ExchangeTimings(), failure ?? SessionError(error))
        }
    }

    private func bodyFailure(
        _ arrival: ResponseCollector.Arrival, _ decision: Decision, _ failure: SessionError?
    ) -> SessionError? {
        if arrival.tooLarge { return SessionError(tooLarge: arrival, decision) }
        if arrival.isStoreBroken {
            let noMemory = SessionError(TransportFailure(.outOfMemory, "there is no memory for the body"))
            return (arrival.store.failure ?? noMemory).with(arrival.head)
        }
        if let end = clock.ended { return SessionError(end).with(arrival.head) }
        if let failure { return failure.with(arrival.head) }
        guard let missing = arrival.store.file?.missing, missing > 0 else { return nil }
        let cut = TransportFailure(.truncatedBody, "the server sent a part of the rest only")
        return SessionError(cut).with(arrival.head)
    }
}
