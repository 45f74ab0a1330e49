public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sends requests and turns each response into a value with the serializer that the registry chooses for it.
///
/// Safe to use from any number of tasks at once. A call takes a snapshot of `registry` when it is made; replacing the registry
/// afterwards is seen by later calls only.
public final class SessionManager: Sendable {
    public let baseURL: URL?
    public let transport: any Transport
    public let configuration: SessionConfiguration
    let base: RequestBase
    let current: Guarded<CurrentRegistry>
    private let fields: Guarded<HeaderFields>
    let clocks = ClockKeeper()
    let taskList: TaskList

    /// - Parameter baseURL: what relative targets are resolved against; a path in it counts as a folder, with or without `/`.
    public init(
        baseURL: URL? = nil, registry: SerializerRegistry, transport: any Transport,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        self.baseURL = baseURL
        base = RequestBase(baseURL, maskedPathSegments: configuration.maskedPathSegments)
        self.transport = transport
        self.configuration = configuration
        current = Guarded(CurrentRegistry(registry))
        fields = Guarded(configuration.headers)
        taskList = TaskList(
            EventRelay(configuration.observers, limit: configuration.maximumWaitingEvents),
            maskedPathSegments: configuration.maskedPathSegments)
    }

    /// The fields of the calls to come, at first the configuration's; a request's own field of the same name replaces them.
    public var headers: HeaderFields { fields.withLock { $0 } }

    /// Sets a field of the calls to come; nil removes it.
    public func setHeader(_ value: String?, for name: String) {
        fields.withLock { $0[name] = value }
    }

    /// How many calls have a clock running.
    var watchedCalls: Int { clocks.count }

    /// Sends the request; the registry decides what the value is.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func send(_ request: HTTPRequest) async throws(SessionError) -> Reply<any Sendable> {
        let (task, snapshot) = start(.data, request)
        return try await send(task, snapshot)
    }

    /// Sends the request; the value is of the given type, made by the first entry that can produce it.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func send<Value: Sendable>(
        _ request: HTTPRequest, as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        let (task, snapshot) = start(.data, request)
        return try await send(task, snapshot, as: type)
    }

    /// Makes a task and starts it. Not async, so that no frame of the call keeps the request.
    func start(_ kind: SessionTask.Kind, _ request: HTTPRequest) -> (SessionTask, SerializerRegistry) {
        let (task, snapshot) = (makeTask(kind, request), registry)
        task.resume()
        return (task, snapshot)
    }

    func makeTask(_ kind: SessionTask.Kind, _ request: HTTPRequest) -> SessionTask {
        taskList.make(kind, request, label: configuration.taskLabel)
    }

    nonisolated(nonsending) func send(
        _ task: SessionTask, _ snapshot: SerializerRegistry
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await run(task, snapshot, producing: .anything) { result throws(SessionError) in try result.serialized() }
    }

    nonisolated(nonsending) func send<Value: Sendable>(
        _ task: SessionTask, _ snapshot: SerializerRegistry, as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        try await run(task, snapshot, producing: .type(type)) { result throws(SessionError) in
            Serialized(try result.serialized(as: type))
        }.typed()
    }

    /// A call from its start to its one end, on the concurrent executor, whatever actor the caller is on.
    ///
    /// Not generic, though every typed call comes here: what is generic in a library is put together while it runs.
    nonisolated(nonsending) func run(
        _ task: SessionTask, _ snapshot: SerializerRegistry, producing wanted: WantedValue, file: FileTarget? = nil,
        _ makeValue: @Sendable (ExchangeResult) throws(SessionError) -> Serialized<any Sendable>
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await concurrently { () async throws(SessionError) in
            let (start, began) = (Date(), ContinuousClock.now)
            let telling = task.startTellingProgress()
            let result = await withTaskCancellationHandler { () async -> Result<Reply<any Sendable>, SessionError> in
                do throws(SessionError) {
                    return .success(try await carryOut(task, snapshot, wanted, file, since: start, makeValue))
                } catch {
                    return .failure(error.timed(since: start, ended: .now - began))
                }
            } onCancel: {
                task.cancel()
            }
            let outcome = task.finish(result)
            taskList.remove(task, endingIn: outcome)
            for teller in telling { await teller.value }
            return try outcome.get()
        }
    }

    /// The one data path, a statement a step.
    @concurrent
    private func carryOut(
        _ task: SessionTask, _ snapshot: SerializerRegistry, _ wanted: WantedValue, _ file: FileTarget?,
        since start: Date, _ makeValue: @Sendable (ExchangeResult) throws(SessionError) -> Serialized<any Sendable>
    ) async throws(SessionError) -> Reply<any Sendable> {
        guard task.isAccepted else { throw .invalidated }
        return try await retrying(task, file) { request, outgoing, clock async throws(SessionError) in
            let question = ResponseCollector.Question(
                request, snapshot, wanted, file: file, redirects: configuration.redirectHandler)
            let exchanger = Exchanger(
                transport: transport, configuration: configuration, question: question,
                cookies: request.usesCookies ? configuration.cookies : nil, clock: clock, task: task)
            // The decision is made inside, when the head arrives, and sets the limit of the body.
            let result = try await exchanger.run(outgoing)
            do throws(SessionError) {
                try judgeStatus(of: result)
                if let failure = result.bodyFailure { throw failure }
                await task.proceed()
                try ResponseValidator.judge(result, by: request.validators)
                let serialized = try make(result, task, makeValue)
                task.post(.serialized(entry: serialized.entry, serialized.outcome))
                return Reply(serialized, result, start: start, finished: clock.elapsed)
            } catch {
                throw error.timed(Timeline(result, start: start, finished: clock.elapsed))
            }
        }
    }

    /// A clock of a call that began at `start`, with the timeouts of the request; between exchanges nothing can be idle.
    func startClock(
        of task: SessionTask, _ timeouts: Timeouts, since start: ContinuousClock.Instant, isExchanging: Bool = true
    ) -> ExchangeClock {
        let rest: @Sendable () -> ContinuousClock.Instant? = { task.rest }
        let clock = ExchangeClock(
            idle: isExchanging ? timeouts.idle ?? configuration.idleTimeout : nil,
            // A file may take as long as it takes.
            total: timeouts.total ?? (task.kind == .data ? configuration.totalTimeout : nil), start: start,
            rest: task.request.isPausable ? rest : nil)
        clocks.watch(clock)
        task.watch(clock)
        return clock
    }

    /// A status that is not acceptable always wins; what became of its body is part of the error.
    private func judgeStatus(of result: ExchangeResult) throws(SessionError) {
        guard !result.decision.isAcceptable else { return }
        if let failure = result.bodyFailure { throw SessionError(unacceptable: result, nil, bodyFailure: failure) }
        let serialized: Serialized<any Sendable>
        do {
            serialized = try result.decision.serialize(result.body)
        } catch {
            throw SessionError(unacceptable: result, nil, bodyFailure: error)
        }
        throw SessionError(unacceptable: result, serialized, bodyFailure: nil)
    }

    private func make(
        _ result: ExchangeResult, _ task: SessionTask,
        _ makeValue: (ExchangeResult) throws(SessionError) -> Serialized<any Sendable>
    ) throws(SessionError) -> Serialized<any Sendable> {
        func checkCancellation() throws(SessionError) {
            guard task.isCancelled else { return }
            throw SessionError(ExchangeClock.End.cancelled).with(result.decision.head)
        }
        let serialized: Serialized<any Sendable>
        do {
            try checkCancellation()
            serialized = try makeValue(result)
        } catch {
            // A serializer that was cut short by cancellation did not fail.
            try checkCancellation()
            throw error
        }
        // A file that has its name is finished, and stays.
        if result.file == nil { try checkCancellation() }
        return serialized
    }
}

extension SessionManager: CustomStringConvertible, CustomReflectable {
    /// Where its requests go and how many tasks it has: `http://example.com/, 2 tasks`.
    public var description: String {
        let base = baseURL.map { Secrets.masked($0.absoluteString, named: configuration.maskedPathSegments) }
        return "\(base ?? "no base URL"), \(tasks.count) tasks"
    }
    public var customMirror: Mirror {
        Mirror(
            self, children: ["headers": headers, "configuration": configuration, "registry": registry, "tasks": tasks],
            displayStyle: .class)
    }
}
