import PatchbayPlatform
import PatchbayRegistry

/// From the exchange to the response, and from a redirect to the next exchange.
extension Call {
    /// Sends the request and receives the response, whose body can be incomplete. Returns nil for a redirect to follow.
    /// - Throws: the failure, if no final head arrived.
    func perform(_ exchange: Exchange, _ attempt: CallAttempt) async throws(SessionError) -> Response? {
        if task.isHeld {
            await task.proceed(unless: beginStep(.working))
        }
        beginStep(.exchanging)
        var timings = ExchangeTimings()
        var failure: SessionError?
        if timeouts.ended == nil {
            if !attempt.interceptors.isEmpty { attempt.count(exchange) }
            let body = sentBody(of: exchange)
            do throws(TransportFailure) {
                if let cache = manager.configuration.cache {
                    timings = try await perform(exchange, through: cache, body)
                } else {
                    let request = request(exchange, headWithCookies(exchange), body)
                    timings =
                        manager.transport.endsWhenStopped
                        ? try await manager.transport.perform(request, for: exchange)
                        : try await transfer(request, exchange)
                }
            } catch {
                // Of an unprocessed request, the transport knows more than the body.
                failure = (error.code == .unprocessed ? nil : body?.failure) ?? SessionError(error)
                error.copy(to: &timings)
            }
        } else {
            failure = SessionError(.notSent)
        }
        // The file of a download is written within the attempt. If the call has already ended, the failure of the file does
        // not matter.
        var isComplete = failure == nil
        var ended: Timeouts.End?
        var untaken: SessionError?
        if file != nil, let sink = exchange.sink as? FileBody {
            (ended, _) = exchange.end(isAnswered: false, isComplete: isComplete, timings)
            isComplete = false
            if ended == nil { untaken = await sink.settle(unless: timeouts.stop, isComplete: failure == nil) }
        }
        let response = try exchange.takeResponse(
            timings, failure, isComplete: isComplete, endedBy: ended, untaken: untaken)
        if response == nil { attempt.hops.append(timings) }
        return response
    }

    /// Performs an exchange whose answer can be a stored response. A function of its own, because the frame of its caller
    /// would keep room for it.
    @inline(never)
    private func perform(
        _ exchange: Exchange, through cache: ResponseCache, _ body: SentBody?
    ) async throws(TransportFailure) -> ExchangeTimings {
        try await CachedExchange(exchange, through: cache, headWithCookies(exchange), body).perform()
    }

    /// Performs an exchange over a transport that can wait for something else than the signal to stop.
    func transfer(
        _ request: TransportRequest, _ receiver: some TimedReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let transport = manager.transport
        let exchange = Task { () async -> Result<ExchangeTimings, TransportFailure> in
            do throws(TransportFailure) {
                return .success(try await transport.perform(request, for: receiver))
            } catch {
                return .failure(error)
            }
        }
        // A cancellation handler of the transport can be slow, and whoever fires the signal must not wait for it.
        let listener = receiver.stop.listen { Task.detached { exchange.cancel() } }
        defer { listener.remove() }
        return try await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }.get()
    }

    @inline(never)
    private func sentBody(of exchange: Exchange) -> SentBody? {
        exchange.outgoing.body.flatMap { SentBody($0, to: exchange.head, of: task, in: exchange) }
    }

    /// The head of the request with the cookies of the jar.
    @inline(never)
    private func headWithCookies(_ exchange: Exchange) -> RequestHead {
        let (head, notices) = exchange.headWithCookies()
        let outgoing = exchange.outgoing
        task.beginExchange(exchange.head, outgoing.template, outgoing.body, resuming: file?.resumed)
        if let traffic { note(exchange, in: traffic) }
        if !notices.isEmpty { task.post(.cookies(notices)) }
        return head
    }

    /// The request in the form of the transport, which gets it now.
    @inline(never)
    func request(_ exchange: Exchange, _ head: RequestHead, _ body: SentBody?) -> TransportRequest {
        let outgoing = exchange.outgoing
        task.tell(task.countedSending(head))
        let sink: TransportRequest.Sink =
            if file != nil {
                .file
            } else if stream != nil, wanted.isElements {
                .stream
            } else {
                .memory(limit: outgoing.terms.override.maximumBodyBytes)
            }
        return TransportRequest(
            head: head, host: outgoing.host, body: body.map { .source($0) } ?? outgoing.body,
            manager.connections.connection(to: outgoing.host), into: sink, isSuspendable: task.pausesBodies)
    }

    /// Makes the exchange of the request that follows a redirect.
    func follow(_ exchange: Exchange, _ attempt: CallAttempt) async throws(SessionError) -> Exchange {
        guard let head = exchange.redirect else { throw SessionError(.noHead).with(exchange.head) }
        let next = try following(exchange, head, attempt)
        if let body = next.outgoing.body, case .source = body {
            let refusal = await timeouts.stop.bounding { await body.rewindFailure() } ?? nil
            try checkRewound(refusal, head)
        }
        task.tell(.redirected(head, to: next.outgoing.url))
        return next
    }

    @inline(never)
    private func following(
        _ exchange: Exchange, _ head: ResponseHead, _ attempt: CallAttempt
    ) throws(SessionError) -> Exchange {
        let most = manager.configuration.maximumRedirects
        if exchange.outgoing.cookies == nil, head.fields["Set-Cookie"] != nil {
            let hasJar = manager.configuration.cookies != nil
            attempt.missedCookies = hasJar ? "SessionRequest.usesCookies" : "SessionConfiguration.cookies"
        }
        guard exchange.hops.count < most else {
            throw SessionError(tooManyRedirects: most, without: attempt.missedCookies).with(head)
        }
        do throws(Refusal) {
            return Exchange(self, try exchange.next(after: head), after: attempt.hops)
        } catch {
            // If the call has already ended, the error gives the reason for that end, not the refused redirect.
            throw (timeouts.ended.map { SessionError($0) } ?? SessionError(refusedRedirect: error, status: head.status))
                .with(head)
        }
    }

    /// - Parameter refusal: the reason that the body of the redirected request can't be sent again; nil if it can.
    @inline(never)
    private func checkRewound(_ refusal: Refusal?, _ head: ResponseHead) throws(SessionError) {
        if let end = timeouts.ended { throw SessionError(end).with(head) }
        if let refusal { throw SessionError(refusedRedirect: refusal, status: head.status).with(head) }
    }
}
