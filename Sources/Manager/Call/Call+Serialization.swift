import PatchbayPlatform
import PatchbayRegistry

/// From a received response to the value of the call.
extension Call {
    /// Fails the call if the response is unacceptable, or if its body is incomplete. The error of an unacceptable
    /// response has the value that was made of its body, or the reason that no value was made.
    @inline(never)
    func judge(_ response: ReceivedResponse) throws(SessionError) {
        let (decision, body) = (response.decision, response.body)
        guard !decision.isAcceptable else {
            if let failure = response.failure, stream?.isClosed != true { throw failure }
            return
        }
        if let failure = response.failure {
            throw SessionError(unacceptable: decision, body, nil, bodyFailure: failure)
        }
        let serialized: SerializationResult<any Sendable>
        do throws(LookupFailure) {
            serialized = try decision.serialize(body)
        } catch {
            throw SessionError(
                unacceptable: decision, body, nil, bodyFailure: SessionError(error, decision, body))
        }
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
    func serialize(_ response: ReceivedResponse, since start: Date) throws(SessionError) -> Reply<any Sendable> {
        let serialized: SerializationResult<any Sendable>
        do throws(SessionError) {
            try checkCancellation(response)
            serialized = try response.decision.value(of: response.body)
        } catch {
            // A serializer that cancellation interrupted has not failed.
            try checkCancellation(response)
            throw error
        }
        try checkCancellation(response)
        return reply(serialized, response, since: start)
    }

    /// Returns the reply of a stream, after its elements were read.
    @inline(never)
    func end(
        _ stream: StreamSink, _ response: ReceivedResponse, since start: Date
    ) throws(SessionError) -> Reply<any Sendable> {
        try checkCancellation(response)
        if let refusal = stream.refusal { throw refusal }
        if !stream.isOpen, let failure = response.decision.failureAtHead {
            throw SessionError(failure, response.decision, .empty)
        }
        let made = SerializationResult<any Sendable>(
            outcome: .entry, value: (), entry: response.decision.entryID, attempts: [])
        return reply(made, response, since: start)
    }

    /// Gives the file of a download its final name, and returns the reply.
    func save(_ response: ReceivedResponse, since start: Date) async throws(SessionError) -> Reply<any Sendable> {
        try checkCancellation(response)
        guard let file, file.hasBody else {
            // Throws the error of the registry, if the registry refuses the response.
            _ = try response.decision.value(of: response.body)
            throw SessionError(FileFailure(name: "the download", .other("there is no file"))).with(
                response.decision.head)
        }
        let (made, read): (URL?, ResponseBody?)
        do throws(FileFailure) {
            let stop = timeouts.stop
            // The file is read before it gets its final name: afterwards another file could have that name.
            read = file.isSerialized ? try await file.contents(unless: stop) : .empty
            made = read == nil ? nil : try await file.finish(unless: stop)
        } catch {
            try checkCancellation(response)
            throw SessionError(error).with(response.decision.head)
        }
        guard let url = made, let contents = read else {
            throw SessionError(timeouts.ended ?? .cancelled).with(response.decision.head)
        }
        guard file.isSerialized else {
            return reply(
                SerializationResult(outcome: .raw, value: url, entry: nil, attempts: []), response, since: start)
        }
        do throws(SessionError) {
            return reply(try response.decision.download(url, contents), response, since: start)
        } catch {
            try checkCancellation(response)
            throw error
        }
    }

    private func checkCancellation(_ response: ReceivedResponse) throws(SessionError) {
        if task.isCancelled { throw SessionError(Timeouts.End.cancelled).with(response.decision.head) }
    }

    /// Tells the observers about the value, and makes the reply.
    private func reply(
        _ serialized: SerializationResult<any Sendable>, _ response: ReceivedResponse, since start: Date
    ) -> Reply<any Sendable> {
        task.post(
            .serialized(
                (serialized.unwrapped ?? response.decision).ended(
                    serialized.outcome, by: serialized.entry, after: serialized.attempts)))
        return Reply(
            serialized, response.decision, response.body, response.trailers, timeline(response, since: start),
            response.terms.writer)
    }

    /// Returns the error of an attempt, with the times of its response if there was a response.
    @inline(never)
    func timed(_ error: SessionError, _ response: ReceivedResponse?, since start: Date) -> SessionError {
        response.map { error.timed(timeline($0, since: start)) } ?? error
    }

    /// The times of the steps up to now.
    private func timeline(_ response: ReceivedResponse, since start: Date) -> CallTimeline {
        CallTimeline(
            start: start, head: response.headTime, body: response.bodyTime, serialized: timeouts.elapsed,
            exchange: response.timings, hops: response.hops, redirects: response.hops.count, retries: task.retries)
    }
}

/// Makes values according to a decision. Failures become `SessionError`s.
extension Decision {
    func value(of body: ResponseBody) throws(SessionError) -> SerializationResult<any Sendable> {
        try made(of: body) { () throws(LookupFailure) in try serializeWanted(body) }
    }

    /// Makes the wanted value, together with the file that it was made from.
    func download(_ file: URL, _ body: ResponseBody) throws(SessionError) -> SerializationResult<any Sendable> {
        func saved<Value: Sendable>(_ made: SerializationResult<Value>) -> SerializationResult<any Sendable> {
            SerializationResult(
                SerializationResult(
                    outcome: made.outcome, value: SavedValue(file: file, value: made.value), entry: made.entry,
                    attempts: made.attempts, unwrapped: made.unwrapped))
        }
        func typed<Value: Sendable>(_ type: Value.Type) throws(LookupFailure) -> SerializationResult<any Sendable> {
            saved(try serialize(body, as: type))
        }
        guard let type = wanted.optionalType ?? wanted.type else { return saved(try value(of: body)) }
        return try made(of: body) { () throws(LookupFailure) in try typed(type) }
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
