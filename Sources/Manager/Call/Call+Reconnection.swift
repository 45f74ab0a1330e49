import PatchbayRegistry

/// How a stream goes on when its connection has ended: with another, asked for from where its reader is.
extension Call {
    /// Returns when it is time for another connection: the last one is over, well or not, or could not be made.
    /// - Parameter failure: why it is over; nil where the body is complete.
    /// - Returns: false where there is to be none.
    func goesOn(
        _ stream: StreamSink, after failure: SessionError? = nil, _ tries: Tries
    ) async throws(SessionError) -> Bool {
        guard let reconnection = stream.reconnection, failure.map(EventReconnection.mayPass) ?? stream.isOpen else {
            return false
        }
        if stream.isOpen {
            guard let place = try await inTime(after: failure, { await stream.gap() }) else { return false }
            tries.beginConnections(at: place)
        }
        // One that was never open has no place to go on from.
        guard tries.place != nil, tries.connections < reconnection.maximumAttempts ?? .max else { return false }
        let pause = reconnection.pause(tries.reconnectionTime, after: tries.connections)
        let sleep = manager.configuration.sleep
        try await inTime(after: failure) { await sleep(pause) }
        guard !manager.taskList.isClosed else { return false }
        tries.beginConnection(after: task.retries)
        if let failure { task.post(.retrying(after: failure.withoutBody())) }
        return true
    }

    /// What finds the elements of a response, once its validators have seen the head.
    /// - Parameter last: the one before, whose elements it is to go on with; nil for the first.
    func elementReader<Element: Sendable>(
        _ opening: StreamSink.Opening, after last: Decision?
    ) throws(SessionError) -> ElementReader<Element> {
        let decision = opening.decision
        try validate(decision, .empty, opening.terms.validators)
        var reader: ElementReader<Element>
        do throws(LookupFailure) {
            reader = try ElementReader(decision, cappedBy: opening.terms.maximumBodyBytes)
        } catch {
            throw SessionError(error, decision, .empty)
        }
        // No content is the server's way to say that it has no more.
        guard stream?.reconnection != nil, decision.head.status != 204 else { return reader }
        if let last, last.entryID != decision.entryID || reader.isFinished {
            throw SessionError(decision, insteadOf: last)
        }
        // The id that the request was sent with, be it the sender's own.
        guard reader.isFinished || reader.takeUp(after: decision.head.request.fields[Tries.placeField] ?? "") else {
            throw SessionError(withoutPlaces: decision)
        }
        return reader
    }
}
