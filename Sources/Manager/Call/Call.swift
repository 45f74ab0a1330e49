// One call from start to end: adapt, send, redirect, decide, receive, serialize, retry. `Call.run` shows the whole
// path. The folder Retry decides about retries, Redirects about redirects. Bytes wait in the sinks of Body.
// Transport has the protocol of the transports.

import PatchbayPlatform
import PatchbayRegistry

/// One call from start to end, with the data of all its steps.
///
/// A request has four forms in turn: the request as the caller made it, the request after its interceptors and
/// parameters, its head and body (`OutgoingRequest`), and the form of the transport (`TransportRequest`). A response
/// has four forms too: its head, the decision of the registry, its body in a sink, and the `Reply`.
///
/// All properties are constants. The state that changes is in `task`, `timeouts`, each `Exchange`, and the sink of its
/// body. These objects have a lock, because the task of the caller and the callbacks of the transport both use them; only
/// a body in memory has none, because the task reads it after the last callback. A `CallAttempt` belongs to the task of
/// the call. No lock of these is held while foreign code runs. One is taken while another is held: that of the `TaskList`,
/// in which a task queues an event under its own lock, so that observers hear of the changes in their order. The list
/// takes no further lock. A transport may call back under a lock of its own, as libcurl's loop does, because no callback
/// runs foreign code or waits.
final class Call: Sendable {
    let manager: SessionManager
    let task: SessionTask
    let registry: SerializerRegistry
    let wanted: WantedValue
    /// The destination of the body of an acceptable response: a file, or the reader of its elements. Otherwise the body
    /// goes into memory.
    let file: FileBody?
    let stream: StreamBody?
    let timeouts: Timeouts
    /// Nil without a traffic log.
    let traffic: TrafficNotes?

    init(
        _ manager: SessionManager, _ task: SessionTask, _ registry: SerializerRegistry, producing wanted: WantedValue,
        into file: FileBody?, read stream: StreamBody?
    ) {
        self.manager = manager
        self.task = task
        self.registry = registry
        self.wanted = wanted
        self.file = file
        self.stream = stream
        traffic = manager.taskList.logs.isEmpty ? nil : TrafficNotes()
        if let resumption = file?.resumed { task.progress { $0.download = TransferProgress(resuming: resumption) } }
        guard task.pausesBodies || file != nil || stream != nil else {
            timeouts = Timeouts()
            return
        }
        timeouts = Timeouts {
            guard let sinkHeldUntil = file?.heldUntil ?? stream?.heldUntil else { return task.heldUntil }
            return max(task.heldUntil ?? sinkHeldUntil, sinkHeldUntil)
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
        task.list.tellInCall(SessionEvent(task: task, stage: .created))
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
        if let traffic { log(traffic, result) }
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
        var attempt = CallAttempt(of: self, since: start)
        defer { attempt.end() }
        setTimeouts(idle: task.request.idleTimeout, total: task.request.totalTimeout)
        while true {
            var received: Response?
            do throws(SessionError) {
                if !attempt.interceptors.isEmpty { try await adapt(attempt) }
                if attempt.content(of: task)?.mayBlock == true { try await makeContent(attempt) }
                var exchange = try makeExchange(attempt)
                if let file { exchange = try await prepare(exchange, for: file, attempt) }
                while true {
                    if !attempt.signers.isEmpty { exchange = try await sign(exchange, attempt) }
                    guard let response = try await perform(exchange, attempt) else {
                        exchange = try await follow(exchange, attempt)
                        continue
                    }
                    received = response
                    try judge(response)
                    if let stream, response.decision.wanted.isElements {
                        guard let next = try await nextConnection(stream, attempt) else {
                            return try await end(stream, response, since: start)
                        }
                        if let traffic { log(traffic, connection: response, since: start) }
                        attempt = next
                        break
                    }
                    if task.isHeld {
                        await task.proceed(unless: timeouts.stop)
                        if let end = timeouts.ended { throw SessionError(end).with(response.decision.head) }
                    }
                    if !response.terms.validators.isEmpty {
                        try validate(response.decision, response.body, response.terms.validators)
                    }
                    return try await file == nil ? serialize(response, since: start) : save(response, since: start)
                }
            } catch {
                attempt = try await next(after: timed(error, received, attempt), attempt)
            }
        }
    }

    // MARK: From the request to the exchange

    /// Makes the first exchange of an attempt. Checks the request after its interceptors and parameters.
    @inline(never)
    private func makeExchange(_ attempt: CallAttempt) throws(SessionError) -> Exchange {
        let hasAddition = manager.configuration.hook != nil || task.request.hook != nil
        let isChanged = hasAddition || !attempt.interceptors.isEmpty || attempt.changesRequest
        // An unchanged request is not copied.
        guard isChanged else { return noteFirst(Exchange(self, try outgoing(task.request, attempt)), attempt) }
        return noteFirst(Exchange(self, try outgoing(changedRequest(attempt), attempt)), attempt)
    }

    func noteFirst(_ exchange: Exchange, _ attempt: CallAttempt) -> Exchange {
        attempt.first = exchange
        return exchange
    }

    /// The request of the attempt after its interceptors and additions.
    @inline(never)
    private func changedRequest(_ attempt: CallAttempt) throws(SessionError) -> SessionRequest {
        var request = attempt.adapted ?? attempt.request(of: task)
        if let made = attempt.madeBody { request.content = request.content?.giving(made) }
        let standard = manager.configuration.hook
        try (request.hook ?? standard)?.prepare(&request, standard)
        setTimeouts(idle: request.idleTimeout, total: request.totalTimeout)
        return request
    }

    /// Checks the request, and makes its content. Borrowed, because a copy of a request costs 600 instructions.
    private func outgoing(_ request: borrowing SessionRequest, _ attempt: CallAttempt) throws(SessionError)
        -> OutgoingRequest
    {
        // A stream has no attempt timeout: its reader decides how long it lasts.
        if stream == nil, let limit = attempt.adaptation?.limit { timeouts.beginAttempt(limit) }
        if stream?.reconnection != nil, request.method != "GET" { throw SessionError(unrepeatable: request.method) }
        return try request.outgoing(of: manager, registry, attempt.adaptation, &attempt.written)
    }

    /// The Accept value that the registry derives for the URL; nil if the request sets the field, or if the registry
    /// gives no value.
    func accept(of outgoing: OutgoingRequest) -> String? {
        guard outgoing.fields["Accept"] == nil else { return nil }
        // The file of a download can have any type.
        let value = registry.accept(
            for: outgoing.host, at: outgoing.url, producing: file == nil ? wanted : .type(ResponseBody.self),
            acceptable: outgoing.terms.override.acceptableStatus)
        // Only events can reconnect, and a server that can choose must not choose another format.
        guard stream?.reconnection != nil, value?.contains("*/*") == true else { return value }
        return "text/event-stream, */*;q=0.1"
    }

    /// Prepares the file of a download. Returns an exchange whose request asks for the missing part of a resumed file.
    private func prepare(
        _ exchange: Exchange, for file: FileBody, _ attempt: CallAttempt
    ) async throws(SessionError) -> Exchange {
        let stop = beginStep(.working)
        guard let outgoing = try await file.prepare(exchange.outgoing, unless: stop) else {
            throw SessionError(timeouts.ended ?? .cancelled).with(exchange.head)
        }
        return noteFirst(Exchange(self, outgoing), attempt)
    }

    /// Makes content that can block, such as the content of a file, on another thread.
    @inline(never)
    private func makeContent(_ attempt: CallAttempt) async throws(SessionError) {
        guard let content = attempt.content(of: task) else { return }
        let queue = IOExecutor.SerialQueue(manager.io)
        let made = await queue.run(until: beginStep(.working)) {
            Result { try content.makeBody() }
        }
        switch made {
        case .done(let body): attempt.madeBody = body
        case .refused:
            attempt.madeBody = .failure(
                ContentFailure(.unreadableFile, "its content cannot be read: \(manager.io.exhaustion)"))
        case .left:
            queue.abandon()
            throw SessionError(timeouts.ended ?? .cancelled)
        }
    }

    /// Timeouts stay in force until another request of the call sets its own. Downloads and uploads have no total timeout
    /// by default.
    @inline(never)
    private func setTimeouts(idle: Duration?, total: Duration?) {
        timeouts.set(
            idle: idle ?? manager.configuration.idleTimeout,
            total: total ?? (task.kind == .data ? manager.configuration.totalTimeout : nil))
    }

    /// Begins the next step, with the timeouts in force.
    @discardableResult
    func beginStep(_ phase: Timeouts.Phase) -> OneShot {
        let (stop, deadline) = timeouts.beginStep(phase)
        manager.taskList.watch(deadline)
        return stop
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

/// Lets the tasks run that are ready. A loop that never waits calls this now and then; otherwise, it would hold up its
/// actor and its executor, and with them the tasks that would cancel it.
///
/// The actor is free because the work leaves it. The child task runs on the executor of the task, after the tasks that
/// wait there. A `Task` would run on the global executor, and would often end before it is awaited, without a turn for
/// others. The child of an `async let` is memory of its parent, which the runtime of Swift 6.3.1 reads after it has told
/// the parent of the end of the child, so that a parent that goes on at once crashes now and then.
nonisolated(nonsending) func giveWay() async {
    await concurrently {
        await withTaskGroup(of: Void.self) { $0.addTask {} }
    }
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
