import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One call, from its start to its one end, and what all of its steps need to know.
///
/// A request has four forms on its way down: as its sender made it, as the interceptors and its parameters left it, its head and
/// body (`OutgoingRequest`), and the transport's own. A response has four on its way up: the head, the decision of the registry,
/// the body in its sink, the `Reply`.
///
/// Its properties are constants. What changes while it runs is behind the locks of `task`, `timeouts`, the sink and the receiver of
/// each exchange: the caller's task and the transport's turn both touch those. None of them is held while another is asked for, or
/// while code of others runs.
final class Call: Sendable {
    let manager: SessionManager
    let task: SessionTask
    /// The registry of the moment in which the call was made.
    let registry: SerializerRegistry
    let wanted: WantedValue
    /// Where the body of an acceptable response goes, if not into memory.
    let file: FileSink?
    let timeouts: Timeouts

    init(
        _ manager: SessionManager, _ task: SessionTask, _ registry: SerializerRegistry, producing wanted: WantedValue,
        into file: FileSink?
    ) {
        self.manager = manager
        self.task = task
        self.registry = registry
        self.wanted = wanted
        self.file = file
        let rest: @Sendable () -> ContinuousClock.Instant? = { task.rest }
        timeouts = Timeouts(rest: task.request.isPausable ? rest : nil)
    }

    /// Runs the call, on the concurrent executor, and gives its reply to a caller on any actor.
    nonisolated(nonsending) func reply<Value: Sendable>(
        as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        try await reply().typed()
    }

    /// The same; not generic, because what is generic in a library is put together while it runs.
    nonisolated(nonsending) func reply() async throws(SessionError) -> Reply<any Sendable> {
        try await concurrently { () async throws(SessionError) in try await complete() }
    }

    /// Runs the call and ends its task with what came of it.
    private func complete() async throws(SessionError) -> Reply<any Sendable> {
        let start = Date()
        timeouts.begin()
        task.watch(timeouts)
        let telling = task.startTellingProgress()
        let result = await withTaskCancellationHandler { () async -> Result<Reply<any Sendable>, SessionError> in
            do throws(SessionError) {
                return .success(try await run(since: start))
            } catch {
                return .failure(error.timed(since: start, ended: timeouts.elapsed))
            }
        } onCancel: {
            task.cancel()
        }
        manager.timer.forget(timeouts)
        let outcome = task.finish(result)
        manager.taskList.remove(task, endingIn: outcome)
        for teller in telling { await teller.value }
        return try outcome.get()
    }

    /// The whole life of a call, a statement a step: the outer loop has a turn for each try, the inner one for each redirect.
    private func run(since start: Date) async throws(SessionError) -> Reply<any Sendable> {
        guard task.isAccepted else { throw .invalidated }
        var tries = Tries(of: self)
        setTimeouts(task.request)
        while true {
            var redirects = 0
            var received: ReceivedResponse?
            do throws(SessionError) {
                var outgoing = try await prepare(&tries)
                let stop = beginStep(isExchanging: true)
                while true {
                    let response = try await exchange(outgoing, stop: stop)
                    switch response.kind {
                    case .redirect(let head, let location):
                        if let failure = response.failure { throw failure }
                        outgoing = try follow(location, from: head, after: outgoing, &redirects)
                    case .final(let decision):
                        received = response
                        let body = response.sink?.body ?? .empty
                        try judge(decision, body, response.failure)
                        await task.proceed()
                        try validate(decision, body, by: outgoing.terms.validators)
                        let serialized = try await serialize(body, decision)
                        task.post(.serialized(entry: serialized.entry, serialized.outcome))
                        return Reply(serialized, decision, body, timeline(response, since: start, redirects))
                    }
                }
            } catch {
                let failure = received.map { error.timed(timeline($0, since: start, redirects)) } ?? error
                try await tryAgain(after: failure, &tries)
            }
        }
    }

    // MARK: The steps

    /// The request as it is to be sent: adapted by the interceptors, with its parameters in place, checked.
    private func prepare(_ tries: inout Tries) async throws(SessionError) -> OutgoingRequest {
        try await adapt(&tries)
        var request = tries.adapted ?? task.request
        try request.prepare(by: manager.configuration.requestSerializer)
        setTimeouts(request)
        var outgoing = try OutgoingRequest(request, of: manager)
        try await file?.prepare(&outgoing)
        tries.sent = outgoing
        return outgoing
    }

    /// Those of a request hold until the next try has its own. A file may take as long as it takes.
    func setTimeouts(_ request: HTTPRequest) {
        let standard = manager.configuration
        timeouts.set(
            idle: request.idleTimeout ?? standard.idleTimeout,
            total: request.totalTimeout ?? (task.kind == .data ? standard.totalTimeout : nil))
    }

    /// Begins the next step, with the timeouts that hold now.
    func beginStep(isExchanging: Bool) -> Signal {
        let stop = timeouts.beginStep(isExchanging: isExchanging)
        manager.timer.watch(timeouts)
        return stop
    }

    /// Sends the request and receives the response, whose body may have broken off.
    /// - Throws: where no head of a final response arrived.
    private func exchange(
        _ outgoing: OutgoingRequest, stop: Signal
    ) async throws(SessionError) -> ReceivedResponse {
        if let cookies = outgoing.cookies, !manager.transport.keeps(cookies) { throw SessionError(TransportFailure.keepsNoCookies) }
        let head = outgoing.head(accept: accept(of: outgoing))
        let receiver = ResponseReceiver(self, head, to: outgoing.host, outgoing.terms, stop: stop)
        await task.proceed()
        var timings = ExchangeTimings()
        var failure: SessionError?
        if timeouts.ended == nil {
            var exchange = TransportRequest(head: head, body: outgoing.body)
            exchange.cookies = outgoing.cookies
            task.sending(exchange)
            exchange.mayPause = task.request.isPausable
            let body = outgoing.body.flatMap { SentBody($0, of: task) }
            if let body { exchange.body = .source(body) }
            do throws(TransportFailure) {
                timings = try await manager.transport.perform(exchange, for: receiver)
            } catch {
                failure = body?.failure.map { SessionError(unreadableContent: $0) } ?? SessionError(error)
            }
        } else {
            failure = SessionError(.notSent)
        }
        if case .cancelled = timeouts.ended { throw SessionError(Timeouts.End.cancelled).with(head) }
        guard var response = receiver.response else {
            throw (timeouts.ended.map { SessionError($0) } ?? failure ?? SessionError(.noHead)).with(head)
        }
        response.failure = await bodyFailure(response, failure)
        response.timings = timings
        response.bodyTime = timeouts.elapsed
        return response
    }

    private func accept(of outgoing: OutgoingRequest) -> String? {
        guard outgoing.fields["Accept"] == nil else { return nil }
        // A file takes any bytes.
        return registry.accept(
            for: outgoing.host, producing: file == nil ? wanted : .type(ResponseBody.self),
            acceptable: outgoing.terms.override.acceptableStatus)
    }

    /// Why the body of a response is not complete; nil where it is.
    private func bodyFailure(_ response: ReceivedResponse, _ failure: SessionError?) async -> SessionError? {
        guard case .final(let decision) = response.kind, let sink = response.sink else {
            return timeouts.ended.map { SessionError($0).with(response.head) }
        }
        if response.isTooLarge { return SessionError(tooLarge: decision, sink.body, limit: response.limit) }
        if let end = timeouts.ended { return SessionError(end).with(response.head) }
        if let failure = await sink.settle() { return failure.with(response.head) }
        if response.isUntaken {
            return SessionError(TransportFailure(.outOfMemory, "there is no memory for the body")).with(response.head)
        }
        if let failure { return failure.with(response.head) }
        guard let file, file.missing > 0 else { return nil }
        let cut = TransportFailure(.truncatedBody, "the server sent a part of the rest only")
        return SessionError(cut).with(response.head)
    }

    /// The request that follows a redirect.
    private func follow(
        _ location: String, from head: ResponseHead, after outgoing: OutgoingRequest, _ redirects: inout Int
    ) throws(SessionError) -> OutgoingRequest {
        let configuration = manager.configuration
        guard redirects < configuration.maximumRedirects else {
            throw SessionError(tooManyRedirects: configuration.maximumRedirects).with(head)
        }
        redirects += 1
        let next: OutgoingRequest
        do throws(Refusal) {
            next = try Redirect.next(
                after: outgoing, head, location: location, credentialFields: configuration.credentialFields,
                outgoing.terms.redirects)
        } catch {
            throw SessionError(refusedRedirect: error, status: head.status).with(head)
        }
        task.post(.redirected(head, to: next.url))
        return next
    }

    private func timeline(_ response: ReceivedResponse, since start: Date, _ redirects: Int) -> Timeline {
        Timeline(response, start: start, redirects, finished: timeouts.elapsed, retries: task.retries)
    }
}
