// One call from start to end: adapt, send, redirect, decide, receive, serialize, retry. `Call.run` shows the whole
// path. The folder Retry decides about retries, Redirects about redirects. Bytes wait in the sinks of Buffers.
// Transport has the protocol of the transports.

import PatchbayPlatform
import PatchbayRegistry

/// One call from start to end, with the data of all its steps.
///
/// A request has four forms in turn: the request as the caller made it, the request after its interceptors and
/// parameters, its head and body (`OutgoingRequest`), and the form of the transport (`TransportRequest`). A response
/// has four forms too: its head, the decision of the registry, its body in a sink, and the `Reply`.
///
/// All properties are constants. The state that changes is in `task`, `timeouts`, the sink and the receiver of each
/// exchange. Each of these objects has a lock, because the task of the caller and the callbacks of the transport both
/// use it. No lock is held while foreign code runs. One lock is taken while another is held: that of the `EventRelay`,
/// in which a task and the list of tasks queue an event under their own lock, so that observers hear of the changes in
/// their order. The relay takes no further lock.
final class Call: Sendable {
    let manager: SessionManager
    let task: SessionTask
    let registry: SerializerRegistry
    let wanted: WantedValue
    /// The destination of the body of an acceptable response: a file, or the reader of its elements. Otherwise the body
    /// goes into memory.
    let file: FileSink?
    let stream: StreamSink?
    let timeouts: Timeouts

    init(
        _ manager: SessionManager, _ task: SessionTask, _ registry: SerializerRegistry, producing wanted: WantedValue,
        into file: FileSink?, read stream: StreamSink?
    ) {
        self.manager = manager
        self.task = task
        self.registry = registry
        self.wanted = wanted
        self.file = file
        self.stream = stream
        if let resumption = file?.resumed { task.download.begin(resuming: resumption) }
        guard task.request.holdsBodies || file != nil || stream != nil else {
            timeouts = Timeouts()
            return
        }
        timeouts = Timeouts {
            guard let sinkRest = file?.rest ?? stream?.rest else { return task.rest }
            return max(task.rest ?? sinkRest, sinkRest)
        }
    }

    /// Runs the call on the concurrent executor, and returns its reply to a caller on any actor.
    ///
    /// Not generic: unspecialised generics are instantiated at run time. A caller that needs the static type casts the
    /// value of the reply.
    nonisolated(nonsending) func reply() async throws(SessionError) -> Reply<any Sendable> {
        try await concurrently { () async throws(SessionError) in try await complete() }
    }

    private func complete() async throws(SessionError) -> Reply<any Sendable> {
        let start = Date()
        timeouts.begin()
        task.watch(timeouts)
        let telling = task.startTellingProgress()
        var result = await withTaskCancellationHandler { () async -> Result<Reply<any Sendable>, SessionError> in
            do throws(SessionError) {
                return .success(try await run(since: start))
            } catch {
                return .failure(error.timed(since: start, ended: timeouts.elapsed))
            }
        } onCancel: {
            task.cancel()
        }
        task.finish(&result)
        manager.taskList.remove(task, endingIn: result)
        for teller in telling { await teller.value }
        return try (consume result).taken()
    }

    /// The whole call, one statement for each step: the outer loop runs once for each attempt and for each connection
    /// of a stream, the inner loop once for each redirect.
    ///
    /// The frame of an async function is allocated on the heap. So the steps that never wait are not async, and the
    /// async steps pass on references. With values of some hundred bytes each, this frame and the frames above it took
    /// 16 allocations per call.
    private func run(since start: Date) async throws(SessionError) -> Reply<any Sendable> {
        guard task.isAccepted else { throw .invalidated }
        let tries = Tries(of: self, since: start)
        defer { tries.end() }
        while true {
            var received: ReceivedResponse?
            do throws(SessionError) {
                if !tries.interceptors.isEmpty { try await adapt(tries) }
                if tries.contentMayBlock(of: task) { try await makeContent(tries) }
                var receiver = try makeReceiver(tries)
                if let file { receiver = try await prepare(receiver, for: file, tries) }
                beginStep(isExchanging: true)
                while true {
                    if !tries.signers.isEmpty { receiver = try await sign(receiver, tries) }
                    guard let response = try await exchange(receiver, tries) else {
                        receiver = try await follow(receiver, tries)
                        continue
                    }
                    received = response
                    try judge(response)
                    if let stream, response.decision.wanted.isElements {
                        guard try await goesOn(stream, tries) else { return try end(stream, response, since: start) }
                        break
                    }
                    if task.isHeld { await task.proceed() }
                    if !response.terms.validators.isEmpty {
                        try validate(response.decision, response.body, response.terms.validators)
                    }
                    return try await file == nil ? serialize(response, since: start) : save(response, since: start)
                }
            } catch {
                timeouts.forgiveNoMore()
                try await tryAgain(after: timed(error, received, since: start), tries)
            }
        }
    }

    // MARK: From the request to the exchange

    /// Makes the receiver of an attempt. Checks the request after its interceptors and parameters.
    @inline(never)
    private func makeReceiver(_ tries: Tries) throws(SessionError) -> ResponseReceiver {
        let receiver = ResponseReceiver(self, exchange(try outgoing(tries)))
        tries.sent = receiver
        return receiver
    }

    private func outgoing(_ tries: Tries) throws(SessionError) -> OutgoingRequest {
        if let changed = try changedRequest(tries) { return try outgoing(changed, tries) }
        return try outgoing(task.request, tries)
    }

    /// The request of the attempt after its interceptors and additions; nil if it is the request of the task, which is
    /// then used without a copy.
    @inline(never)
    private func changedRequest(_ tries: Tries) throws(SessionError) -> SessionRequest? {
        let made = tries.takeMadeBody()
        let standard = manager.configuration.requestAddition
        let isAdapted = !tries.interceptors.isEmpty && tries.adapted != nil
        let isUnchanged = !isAdapted && tries.place == nil && made == nil
        if isUnchanged, standard == nil, task.request.addition == nil { return nil }
        var request = tries.adapted ?? tries.request(of: task)
        if let made { request.content = request.content?.giving(made) }
        try request.prepare(standard)
        return request
    }

    /// Checks the request, sets its timeouts, and makes its content.
    private func outgoing(_ request: SessionRequest, _ tries: Tries) throws(SessionError) -> OutgoingRequest {
        setTimeouts(idle: request.idleTimeout, total: request.totalTimeout)
        // A stream has no attempt timeout: its reader decides how long it lasts.
        if stream == nil, let limit = tries.attemptTimeout { timeouts.beginAttempt(limit) }
        guard stream?.reconnection == nil || request.method == "GET" else {
            throw SessionError(unrepeatable: request.method)
        }
        return try request.outgoing(of: manager, registry, tries.credentials, &tries.written)
    }

    /// Prepares the file of a download. Returns a receiver whose request asks for the missing part of a resumed file.
    private func prepare(
        _ receiver: ResponseReceiver, for file: FileSink, _ tries: Tries
    ) async throws(SessionError) -> ResponseReceiver {
        let stop = beginStep(isExchanging: false)
        guard let outgoing = try await file.prepare(receiver.exchange.outgoing, unless: stop) else {
            throw SessionError(timeouts.ended ?? .cancelled).with(receiver.exchange.head)
        }
        let receiver = ResponseReceiver(self, exchange(outgoing))
        tries.sent = receiver
        return receiver
    }

    /// Makes content that can block, such as the content of a file, on another thread.
    @inline(never)
    private func makeContent(_ tries: Tries) async throws(SessionError) {
        guard let content = tries.adapted.map(\.content) ?? task.request.content else { return }
        let queue = IOExecutor.SerialQueue(manager.io)
        let made = await queue.run(until: beginStep(isExchanging: false)) {
            Result { try content.makeBody() }
        }
        switch made {
        case .done(let body): tries.madeBody = body
        case .refused:
            tries.madeBody = .failure(
                ContentFailure(.unreadableFile, "its content cannot be read: \(manager.io.exhaustion)"))
        case .left:
            queue.abandon()
            throw SessionError(timeouts.ended ?? .cancelled)
        }
    }

    /// Timeouts stay in force until the next attempt sets its own. Downloads and uploads have no total timeout by
    /// default.
    func setTimeouts(idle: Duration?, total: Duration?) {
        timeouts.set(
            idle: idle ?? manager.configuration.idleTimeout,
            total: total ?? (task.kind == .data ? manager.configuration.totalTimeout : nil))
    }

    /// Begins the next step, with the timeouts in force.
    @discardableResult
    func beginStep(isExchanging: Bool) -> OneShot {
        let (stop, deadline) = timeouts.beginStep(isExchanging: isExchanging)
        manager.timer.watch(deadline)
        return stop
    }

    /// Sends the request and receives the response, whose body can be incomplete. Returns nil for a redirect to follow.
    /// - Throws: the failure, if no final head arrived.
    private func exchange(_ receiver: ResponseReceiver, _ tries: Tries) async throws(SessionError) -> ReceivedResponse?
    {
        if task.isHeld { await task.proceed() }
        var timings = ExchangeTimings()
        var failure: SessionError?
        if timeouts.ended == nil {
            if !tries.interceptors.isEmpty { tries.count(receiver) }
            let body = sentBody(of: receiver)
            do throws(TransportFailure) {
                let request = sent(receiver, body)
                timings =
                    manager.transport.endsWhenStopped
                    ? try await manager.transport.perform(request, for: receiver)
                    : try await perform(request, receiver)
                if timings.leftBody {
                    timeouts.forgive()
                    manager.timer.watch(timeouts.deadline)
                }
            } catch {
                // Of an unprocessed request, the transport knows more than the body.
                failure = (error.code == .unprocessed ? nil : body?.failure) ?? SessionError(error)
                error.copy(to: &timings)
            }
        } else {
            failure = SessionError(.notSent)
        }
        // If the call has already ended, the failure of the file does not matter.
        let untaken =
            file == nil || timeouts.ended != nil
            ? nil : await (receiver.sink as? FileSink)?.settle(unless: timeouts.stop, isComplete: failure == nil)
        return try receiver.response(timings, failure, untaken: untaken, tries)
    }

    /// Performs an exchange over a transport that can wait for something else than the signal of the receiver.
    private func perform(
        _ request: TransportRequest, _ receiver: ResponseReceiver
    ) async throws(TransportFailure) -> ExchangeTimings {
        let transport = manager.transport
        let exchange = Task { () async -> Result<ExchangeTimings, TransportFailure> in
            do throws(TransportFailure) {
                return .success(try await transport.perform(request, for: receiver))
            } catch {
                return .failure(error)
            }
        }
        let listener = receiver.stop.listen { exchange.cancel() }
        defer { listener.remove() }
        return try await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }.get()
    }

    @inline(never)
    private func sentBody(of receiver: ResponseReceiver) -> SentBody? {
        receiver.exchange.outgoing.body.flatMap { SentBody($0, to: receiver.exchange.head, of: task) }
    }

    /// The request in the form of the transport.
    @inline(never)
    private func sent(_ receiver: ResponseReceiver, _ body: SentBody?) -> TransportRequest {
        let outgoing = receiver.exchange.outgoing
        let (head, notices) = receiver.exchange.headWithCookies()
        task.sending(receiver.exchange.head, as: head, outgoing.body, resuming: file?.resumed)
        if !notices.isEmpty { task.post(.cookies(notices)) }
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
            manager.connections.connection(to: outgoing.host), into: sink, isSuspendable: task.request.holdsBodies)
    }

    /// Makes the receiver of the request that follows a redirect.
    private func follow(_ receiver: ResponseReceiver, _ tries: Tries) async throws(SessionError) -> ResponseReceiver {
        let next = try following(receiver, tries)
        if case .source = next.exchange.outgoing.body, let body = next.exchange.outgoing.body {
            let isRewound = await timeouts.stop.bounding { () async -> Bool in await body.isRewound() }
            try checkRewound(isRewound, receiver)
        }
        if let head = receiver.redirect { task.post(.redirected(head, to: next.exchange.outgoing.url)) }
        return next
    }

    @inline(never)
    private func following(_ receiver: ResponseReceiver, _ tries: Tries) throws(SessionError) -> ResponseReceiver {
        guard let head = receiver.redirect else { throw SessionError(.noHead).with(receiver.exchange.head) }
        let most = manager.configuration.maximumRedirects
        guard receiver.exchange.hops.count < most else { throw SessionError(tooManyRedirects: most).with(head) }
        do throws(Refusal) {
            return ResponseReceiver(self, exchange(try receiver.next(after: head), after: tries.hops))
        } catch {
            // If the call has already ended, the error gives the reason for that end, not the refused redirect.
            throw (timeouts.ended.map { SessionError($0) } ?? SessionError(refusedRedirect: error, status: head.status))
                .with(head)
        }
    }

    /// - Parameter isRewound: whether the body of the redirected request can be sent again; nil if the call has ended.
    @inline(never)
    private func checkRewound(_ isRewound: Bool?, _ receiver: ResponseReceiver) throws(SessionError) {
        guard isRewound != true || timeouts.ended != nil, let head = receiver.redirect else { return }
        if let end = timeouts.ended { throw SessionError(end).with(head) }
        let refusal = Refusal("the body of the request cannot be sent twice")
        throw SessionError(refusedRedirect: refusal, status: head.status).with(head)
    }
}

/// Does the work on the concurrent executor, and returns to the caller's actor in every case.
///
/// Every `nonisolated(nonsending)` function of this package that needs the concurrent executor uses this function, and
/// never calls a `@concurrent` function directly. In Swift 6.3.1, a `nonisolated(nonsending)` function that passes on
/// an error of a `@concurrent` function does not return to its caller's executor first, in debug and in release: the
/// caller's `catch` would run outside its actor. Catching the error in the function that awaits prevents this; catching
/// it further out is too late. `Tests/CallerIsolation` tests every public function for it.
nonisolated(nonsending) func concurrently<Value: Sendable, Failure>(
    _ work: @concurrent () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure>
    do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
    return try (consume result).taken()
}

extension Result {
    /// The value, like `get()`, which copies the value before the result is destroyed.
    @inline(__always)
    fileprivate consuming func taken() throws(Failure) -> Success {
        switch consume self {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }
}
