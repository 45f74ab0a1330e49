import PatchbayPlatform
import PatchbayRegistry

/// The elements of one response, or of all responses of a reconnected stream, made when the reader requests them.
///
/// Releasing this object ends the exchange, because its elements can't be read any more.
final class ElementSource<Element: Sendable>: Sendable {
    private struct State: Sendable {
        /// Nil while elements are being read: the reader runs foreign code, so it is taken out of the state and used
        /// outside the lock.
        var reader: ElementReader<Element>?
        /// The decision about the response that the reader reads.
        var decision: Decision
        /// The number of skipped elements when the reader reached the end of the last piece.
        var skippedElements = 0
        /// The error to throw after the elements that were returned last.
        var failure: SessionError?
        var hasFailed = false
        var isOver = false
        var isBeingRead = false
        var isRead = false
        /// The number of pieces that were requested.
        var pieces = 0
    }

    private let call: Call
    private let sink: StreamBody
    private let state: Guarded<State>
    /// The position of the reader; nil if the elements are not events. The position has a lock of its own, so that code
    /// that decodes an element can read the position.
    let position: StreamPosition?

    /// - Throws: if the first response is refused, or no entry can make the elements.
    init(_ call: Call, _ opening: StreamBody.Opening, _ sink: StreamBody) throws(SessionError) {
        (self.call, self.sink) = (call, sink)
        let reader: ElementReader<Element> = try call.elementReader(opening, after: nil)
        position = reader.position
        state = Guarded(State(reader: reader, decision: opening.decision))
    }

    deinit { leave() }

    var task: SessionTask { call.task }

    /// The decision about the last response.
    var decision: Decision { state.withLock(\.decision) }

    /// The trailer fields; nil until the whole body has arrived.
    var trailers: HeaderFields? { sink.trailers }

    /// The number of elements that were skipped so far, as an option of the entry allows.
    var skippedElements: Int { state.withLock(\.skippedElements) }

    var description: String {
        let head = decision.head
        let (request, status) = (head.request, head.status)
        return "\(request.method) \(request.place ?? "-"): \(status), elements of \(Element.self)"
    }

    /// Stops reading. Cancels the call, unless the last body is complete.
    func leave() { if !stop(), !sink.leave() { task.cancel() } }

    /// Notes that nothing more is read. Returns whether the end of the elements had been read.
    private func stop() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
    }

    /// Registers a reader. Returns false if there was a reader before.
    func beginReading() -> Bool {
        state.withLock { state in
            defer { state.isBeingRead = true }
            return !state.isBeingRead
        }
    }

    /// The result for a second reader: nil if the first reader has read all elements, otherwise an error. Elements that
    /// the first reader did not read are lost.
    func readAgain() throws(SessionError) -> Element? {
        guard state.withLock(\.isRead) else { throw SessionError.alreadyRead.with(decision.head) }
        return nil
    }

    /// Ends reading for a cancelled reader, and returns the error for it.
    func cancel() -> SessionError {
        if !stop() { task.cancel() }
        state.letGo { state in
            state.hasFailed = true
            return state.failure.take()
        }
        return SessionError(Timeouts.End.cancelled).with(decision.head)
    }

    /// Returns the next elements: at least one element, or no elements at the end.
    /// - Throws: the failure of the stream, exactly one time, after the elements that precede it.
    func more() async throws(SessionError) -> [Element] {
        // Nil while another copy of the iterator reads: in this case this copy is a second reader.
        guard var reader = state.withLock({ $0.reader.take() }) else {
            throw SessionError.alreadyRead.with(decision.head)
        }
        defer { state.withLock { [reader] in $0.reader = reader } }
        return try await more(&reader)
    }

    private func more(_ reader: inout ElementReader<Element>) async throws(SessionError) -> [Element] {
        while true {
            if let failure = state.withLock({ $0.failure.take() }) { throw failure }
            let (isAtEnd, pieces) = state.withLock { state in
                state.isRead = state.isOver && !state.hasFailed
                state.pieces += 1
                return (state.isOver, state.pieces)
            }
            guard !isAtEnd else { return [] }
            if pieces.isMultiple(of: 16) { await giveWay() }
            guard !Task.isCancelled else { throw cancel() }
            let task = task
            let next = await withTaskCancellationHandler {
                await sink.next()
            } onCancel: {
                task.cancel()
            }
            let elements = read(next, &reader)
            let skipped = reader.skippedElements
            state.withLock { $0.skippedElements = skipped }
            if !elements.isEmpty { return elements }
        }
    }

    /// Continues with the elements of another response.
    private func goOn(in opening: StreamBody.Opening, _ reader: inout ElementReader<Element>) {
        do throws(SessionError) {
            reader = try call.elementReader(opening, after: decision, position)
        } catch {
            end(error)
            return sink.close(error)
        }
        state.letGo { state in
            let dropped = state.decision
            state.decision = opening.decision
            return dropped
        }
    }

    private func read(_ next: StreamBody.Next, _ reader: inout ElementReader<Element>) -> [Element] {
        var elements: [Element] = []
        // Lets the parser stop between two elements if the reader is cancelled. After any other end of the call, the
        // elements that have arrived are still read.
        let interruption = Interruption.begin(for: self) { _ in Task.isCancelled }
        defer { interruption.end() }
        do throws(LookupFailure) {
            switch next {
            case .head(let opening):
                goOn(in: opening, &reader)
                return elements
            case .bytes(let bytes):
                try reader.read(bytes, into: &elements)
                guard reader.isFinished else { return elements }
                sink.close()
            case .gap:
                let place = reader.place
                try reader.finish(into: &elements)
                if let place {
                    sink.goOn(from: place)
                    return elements
                }
                sink.close()
            case .end(nil):
                try reader.finish(into: &elements)
                sink.close()
                return elements
            case .over: break
            case .end(let failure?):
                end(failure)
                return elements
            }
            end()
        } catch {
            let failure = Interruption.isNoticed ? cancel() : SessionError(error, decision, .empty)
            end(failure)
            sink.close(failure)
        }
        return elements
    }

    /// Notes that no more elements are received. A failure is thrown after the elements found so far.
    private func end(_ failure: SessionError? = nil) {
        state.letGo { state in
            let dropped = state.failure
            (state.failure, state.isOver, state.hasFailed) = (failure, true, state.hasFailed || failure != nil)
            return dropped
        }
    }
}
