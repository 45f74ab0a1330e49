import PatchbayRegistry

/// The elements of a stream, or the reply of a response that has none.
extension Call {
    /// Runs the call in a task of its own. The reader gets the elements when the head has arrived.
    /// - Returns: either the elements or, if the response has none, the reply.
    nonisolated(nonsending) func elementsOrReply<Element: Sendable>(
        _ sink: StreamBody
    ) async throws(SessionError) -> (elements: ResponseStream<Element>?, reply: Reply<any Sendable>?) {
        try await concurrently { () async throws(SessionError) in try await opened(sink) }
    }

    private func opened<Element: Sendable>(
        _ sink: StreamBody
    ) async throws(SessionError) -> (elements: ResponseStream<Element>?, reply: Reply<any Sendable>?) {
        task.begin()
        let running = Task { () async -> Result<Reply<any Sendable>, SessionError> in
            let result: Result<Reply<any Sendable>, SessionError>
            do throws(SessionError) { result = .success(try await reply()) } catch { result = .failure(error) }
            sink.end(result.map(\.trailers))
            return result
        }
        let task = task
        let opening = await withTaskCancellationHandler {
            await sink.opened()
        } onCancel: {
            task.cancel()
        }
        guard let opening else { return (nil, try await running.value.get()) }
        // Elements come for as long as the server likes, unless the request sets a limit.
        if !wanted.isElements {
            timeouts.set(
                idle: task.request.idleTimeout ?? manager.configuration.idleTimeout, total: task.request.totalTimeout)
        }
        do throws(SessionError) {
            return (ResponseStream(try ElementSource(self, opening, sink)), nil)
        } catch {
            sink.close(error)
            throw error
        }
    }
}

/// Reconnection: when the connection of a stream has ended, another one continues from the position of its reader.
extension Call {
    /// Returns the attempt for another connection when it is time for it, after the last connection ended or could not
    /// be made; nil if there is no other connection.
    /// - Parameter failure: the failure of the last connection; nil if its body is complete.
    func nextConnection(
        _ stream: StreamBody, after failure: SessionError? = nil, _ attempt: CallAttempt
    ) async throws(SessionError) -> CallAttempt? {
        guard let reconnection = stream.reconnection, failure.map(EventReconnection.mayPass) ?? stream.isOpen else {
            return nil
        }
        var next = attempt.reconnections
        if stream.isOpen {
            guard let place = try await inTime(after: failure, { await stream.gap() }) else { return nil }
            let hasNoted = next?.hasNotedIgnoredID == true
            if place.hasIgnoredID, !hasNoted {
                task.post(.noted("the id of an event was ignored, because no request can send it"))
            }
            next = CallAttempt.Reconnections(
                lastEventID: place.lastEventID, delay: place.reconnectionTime ?? next?.delay,
                hasNotedIgnoredID: hasNoted || place.hasIgnoredID)
        }
        // A stream that was never open has no position to continue from.
        guard let next else { return nil }
        guard next.count < reconnection.maximumAttempts ?? .max else {
            guard let failure, next.count > 0 else { return nil }
            let requests = next.count == 1 ? "1 request" : "\(next.count) requests in a row"
            throw failure.adding("the stream gave up, because \(requests) to reconnect failed (maximumAttempts)")
        }
        let pause = reconnection.pause(next.delay, after: next.count, spread: manager.configuration.random())
        let sleep = manager.configuration.sleep
        try await inTime(after: failure) { await sleep(pause) }
        guard !manager.taskList.isClosed else { return nil }
        if let failure { tellRetry(after: failure, attempt) }
        return attempt.reconnecting(next, after: task.retries)
    }

    /// Returns the reader for the elements of a response. The validators of the request check the head first.
    /// - Parameters:
    ///   - last: the decision of the previous response, whose elements continue; nil for the first response.
    ///   - position: the position of the reader; nil for the first response.
    func elementReader<Element: Sendable>(
        _ opening: StreamBody.Opening, after last: Decision?, _ position: StreamPosition? = nil
    ) throws(SessionError) -> ElementReader<Element> {
        let decision = opening.decision
        try validate(decision, .empty, opening.terms.validators)
        var reader: ElementReader<Element>
        do throws(LookupFailure) {
            reader = try ElementReader(decision)
        } catch {
            throw last.map { SessionError(decision, insteadOf: $0) } ?? SessionError(error, decision, .empty)
        }
        // With status 204 the server says that there are no more events.
        guard decision.head.status != 204 else { return reader }
        if let last, last.entryID != decision.entryID || reader.isFinished {
            throw SessionError(decision, insteadOf: last)
        }
        // The reader continues after the id in the request, even if the caller set that id.
        let isTakenUp = reader.takeUp(after: decision.head.request.fields[CallAttempt.placeField] ?? "", position)
        guard isTakenUp || reader.isFinished || stream?.reconnection == nil else {
            throw SessionError(withoutPlaces: decision)
        }
        return reader
    }
}
