import PatchbayPlatform
import PatchbayRegistry

/// From a received response to the value of the call.
extension Call {
    /// Fails the call if the response is unacceptable, or if its body is incomplete. The error of an unacceptable
    /// response has the value that was made of its body, or the reason that no value was made.
    @inline(never)
    func judge(_ response: Response) throws(SessionError) {
        let (decision, body) = (response.decision, response.body)
        guard !decision.isAcceptable else {
            if let failure = response.failure, stream?.isClosed != true { throw failure }
            return
        }
        if let failure = response.failure {
            throw SessionError(unacceptable: decision, body, nil, bodyFailure: failure)
        }
        let serialized: SerializationResult<any Sendable>
        let interruption = beginSerializing()
        defer { interruption.end() }
        do throws(LookupFailure) {
            serialized = try decision.serialize(body)
        } catch {
            if Interruption.isNoticed { throw interrupted(response) }
            throw SessionError(
                unacceptable: decision, body, nil, bodyFailure: SessionError(error, decision, body))
        }
        if Interruption.isNoticed { throw interrupted(response) }
        throw SessionError(unacceptable: decision, body, serialized, bodyFailure: nil)
    }

    /// Runs validators on a response, in order. The validators of a stream get the head and an empty body.
    @inline(never)
    func validate(
        _ decision: Decision, _ body: ResponseBody, _ validators: [ResponseCheck]
    ) throws(SessionError) {
        for validator in validators {
            do {
                try validator(decision.head, body, file?.partURL)
            } catch let error as SessionError {
                throw error
            } catch is CancellationError {
                throw SessionError(Timeouts.End.cancelled).with(decision.head)
            } catch {
                throw SessionError(invalid: decision, body, error)
            }
        }
    }

    /// Returns the reply with the value of the chosen serializer.
    @inline(never)
    func serialize(_ response: Response, since start: Date) throws(SessionError) -> Reply<any Sendable> {
        try checkCancellation(response)
        let made = try value(response, of: response.body)
        try checkCancellation(response)
        return reply(made, response, since: start)
    }

    /// Makes the value. A serializer that the end of the call interrupted has not failed.
    private func value(_ response: Response, of body: ResponseBody) throws(SessionError)
        -> SerializationResult<any Sendable>
    {
        let interruption = beginSerializing()
        let made: SerializationResult<any Sendable>
        do throws(SessionError) {
            made = try response.decision.value(of: body)
        } catch {
            let isInterrupted = interruption.end()
            try checkCancellation(response)
            throw isInterrupted ? interrupted(response) : error
        }
        if interruption.end() { throw interrupted(response) }
        return made
    }

    /// Returns the reply of a stream, after its elements were read: only the reader knows whether the last body can be
    /// read. No timeout counts.
    @inline(never)
    func end(
        _ stream: StreamBody, _ response: Response, since start: Date
    ) async throws(SessionError) -> Reply<any Sendable> {
        if stream.isOpen, let closed = stream.complete(response.trailers) {
            task.whenCancelled { closed.fire() }
            await closed.fired()
        }
        try checkCancellation(response)
        if let refusal = stream.refusal { throw refusal }
        if !stream.isOpen, let failure = response.decision.failureAtHead {
            throw SessionError(failure, response.decision, .empty)
        }
        let made = SerializationResult<any Sendable>(
            outcome: .entry, value: (), entry: response.decision.entryID, attempts: [])
        return reply(made, response, since: start)
    }

    /// Logs one connection of a stream that goes on over another.
    @inline(never)
    func log(_ traffic: TrafficNotes, connection response: Response, since start: Date) {
        let made = SerializationResult<any Sendable>(
            outcome: .entry, value: (), entry: response.decision.entryID, attempts: [])
        let timeline = timeline(response, since: start)
        let reply = Reply(made, response.decision, .empty, [:], timeline, response.terms.writer, nil)
        log(traffic.taken(), .success(reply))
    }

    /// Gives the file of a download its final name, and returns the reply.
    func save(_ response: Response, since start: Date) async throws(SessionError) -> Reply<any Sendable> {
        try checkCancellation(response)
        guard let file, file.hasBody else {
            // Throws the error of the registry, if the registry refuses the response.
            _ = try response.decision.value(of: response.body)
            throw SessionError(FileFailure(name: "the download", .other("there is no file"))).with(
                response.decision.head)
        }
        let (made, read): (URL?, ResponseBody?)
        do throws(SessionError) {
            let stop = timeouts.stop
            // The file is read before it gets its final name: afterwards another file could have that name.
            read = file.isSerialized ? try await file.contents(unless: stop) : .empty
            made = read == nil ? nil : try await file.finish(unless: stop)
        } catch {
            try checkCancellation(response)
            throw error.with(response.decision.head)
        }
        guard let url = made, let contents = read else {
            throw SessionError(timeouts.ended ?? .cancelled).with(response.decision.head)
        }
        guard file.isSerialized else {
            return reply(
                SerializationResult(outcome: .raw, value: url, entry: nil, attempts: []), response, url, since: start)
        }
        return reply(try value(response, of: contents), response, url, since: start)
    }

    private func checkCancellation(_ response: Response) throws(SessionError) {
        if task.isCancelled { throw SessionError(Timeouts.End.cancelled).with(response.decision.head) }
    }

    /// The error of a call that was over when a serializer looked, even if another serializer has made a value since.
    private func interrupted(_ response: Response) -> SessionError {
        SessionError(timeouts.ended ?? .cancelled).with(response.decision.head)
    }

    /// Lets the built-in serializers of this thread stop when the call is cancelled or its total timeout passes. The
    /// other timeouts are those of an exchange. End the interruption before the next `await`.
    private func beginSerializing() -> Interruption {
        // The pointer is valid: the call, which serializes, holds its timeouts.
        Interruption.begin(for: timeouts) { timeouts in
            Unmanaged<Timeouts>.fromOpaque(timeouts).takeUnretainedValue().ended?.isFinal ?? false
        }
    }

    /// Tells the observers about the value, and makes the reply.
    private func reply(
        _ serialized: SerializationResult<any Sendable>, _ response: Response, _ file: URL? = nil, since start: Date
    ) -> Reply<any Sendable> {
        task.tell(
            .serialized(
                (serialized.unwrapped ?? response.decision).ended(
                    serialized.outcome, by: serialized.entry, after: serialized.attempts)))
        return Reply(
            serialized, response.decision, response.body, response.trailers, timeline(response, since: start),
            response.terms.writer, file)
    }

    /// Returns the error of an attempt, with the times of its response if there was a response.
    @inline(never)
    func timed(_ error: SessionError, _ response: Response?, _ attempt: CallAttempt) -> SessionError {
        if let response { return error.timed(timeline(response, since: attempt.start)) }
        // Between two exchanges, the last one is a redirect.
        guard error.facts.exchange == nil, let last = attempt.hops.last else { return error }
        return error.with(last, after: attempt.hops.dropLast())
    }

    /// The times of the steps up to now.
    private func timeline(_ response: Response, since start: Date) -> CallTimeline {
        CallTimeline(
            start: start, head: response.headTime, body: response.bodyTime, serialized: timeouts.elapsed,
            exchange: response.timings, hops: response.exchange.hops, redirects: response.exchange.hops.count,
            retries: task.retries)
    }
}

/// Makes values according to a decision. Failures become `SessionError`s.
extension Decision {
    func value(of body: ResponseBody) throws(SessionError) -> SerializationResult<any Sendable> {
        try made(of: body) { () throws(LookupFailure) in try serializeWanted(body) }
    }

    /// Makes a value of another type from the kept bytes, with the registry and the head of the call.
    /// - Parameter file: the file that has the bytes instead of `body`.
    func lateValue<Value: Sendable>(of body: ResponseBody, _ file: URL?, as type: Value.Type) throws(SessionError)
        -> Value
    {
        let override = LookupOverride(
            excluding: override.excluding, acceptableStatus: .any, maximumBodyBytes: override.maximumBodyBytes)
        let typed = registry.decision(for: head, producing: .type(type), override: override)
        let body = try file.map { file throws(SessionError) in try contents(of: file) } ?? body
        return try typed.made(of: body) { () throws(LookupFailure) in try typed.serialize(body, as: type) }.value
    }

    /// Makes a value from the kept bytes with a serializer of the caller.
    func lateValue<Output: Sendable>(
        of body: ResponseBody, with serializer: some ResponseSerializer<Output>
    ) throws(SessionError) -> Output {
        let given = serialized(by: serializer)
        return try given.made(of: body) { () throws(LookupFailure) in try given.serialize(body, as: Output.self) }.value
    }

    private func contents(of file: URL) throws(SessionError) -> ResponseBody {
        do {
            return ResponseBody(try Data(contentsOf: file, options: .mappedIfSafe))
        } catch {
            let reason =
                FileManager.default.fileExists(atPath: file.path) ? "it cannot be read" : "it is not there any longer"
            throw SessionError(FileFailure(name: file.lastPathComponent, .other(reason), .read)).with(head)
        }
    }

    /// Makes the value of the body. Throws a failure as a `SessionError`.
    private func made<Value: Sendable>(
        of body: ResponseBody, _ make: () throws(LookupFailure) -> SerializationResult<Value>
    ) throws(SessionError) -> SerializationResult<Value> {
        do throws(LookupFailure) {
            return try make()
        } catch {
            throw SessionError(error, self, body)
        }
    }
}
