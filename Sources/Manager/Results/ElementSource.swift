import PatchbayPlatform
import PatchbayRegistry

/// The elements of one response, or of those that a stream goes on in, as their reader asks for them.
///
/// Its end is that of the exchange: what nobody can read any more is not received.
final class ElementSource<Element: Sendable>: Sendable {
    private struct State: Sendable {
        /// Nil while somebody asks for elements: what finds them is code of others, and works with no lock held.
        var reader: ElementReader<Element>?
        /// About the response that the reader reads.
        var decision: Decision
        /// How many elements it had passed over when it came to the end of a piece.
        var skippedElements = 0
        /// What ends the elements that were handed out last.
        var failure: SessionError?
        var hasFailed = false
        var isOver = false
        var isBeingRead = false
        var isRead = false

        mutating func takeFailure() -> SessionError? {
            defer { failure = nil }
            if failure != nil { hasFailed = true }
            return failure
        }
    }

    private let call: Call
    private let sink: StreamSink
    private let state: Guarded<State>
    /// Where the reader is; nil where the elements are no events. It has a lock of its own, so that whoever decodes an element may ask.
    let position: StreamPosition?

    /// - Throws: where the first response is refused, or nobody can make the elements.
    init(_ call: Call, _ opening: StreamSink.Opening, _ sink: StreamSink) throws(SessionError) {
        (self.call, self.sink) = (call, sink)
        let reader: ElementReader<Element> = try call.elementReader(opening, after: nil)
        position = reader.position
        state = Guarded(State(reader: reader, decision: opening.decision))
    }

    deinit { leave() }

    var task: SessionTask { call.task }

    /// About the last response that has come.
    var decision: Decision { state.withLock(\.decision) }

    /// The fields behind the body, once all of it has come; nil before.
    var trailers: HeaderFields? { sink.trailers }

    /// How many elements an option of the entry has had passed over so far.
    var skippedElements: Int { state.withLock(\.skippedElements) }

    var description: String {
        let head = decision.head
        let (request, status) = (head.request, head.status)
        return "\(request.method) \(request.place ?? "-"): \(status), elements of \(Element.self)"
    }

    /// Nobody reads on: a call that is not over, nor about to be, ends as cancelled.
    func leave() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { task.cancel() }
    }

    /// Takes a reader; false where there was one before.
    func beginReading() -> Bool {
        state.withLock { state in
            defer { state.isBeingRead = true }
            return !state.isBeingRead
        }
    }

    /// What there is for a second reader: the end, where that has been read. What the first had not read by then went with it.
    func readAgain() throws(SessionError) -> Element? {
        guard state.withLock(\.isRead) else { throw SessionError.alreadyRead.with(decision.head) }
        return nil
    }

    /// The reader is cancelled and gets nothing more; the error that says so.
    func cancel() -> SessionError {
        leave()
        state.letGo { state in
            state.hasFailed = true
            return state.failure.take()
        }
        return SessionError(Timeouts.End.cancelled).with(decision.head)
    }

    /// The elements that came next, at least one; none at the end.
    /// - Throws: what went wrong behind the elements that were given before, once.
    func more() async throws(SessionError) -> [Element] {
        // Whoever has it is the one who reads; a copy of its iterator that asks meanwhile is a second one.
        guard var reader = state.withLock({ $0.reader.take() }) else {
            throw SessionError.alreadyRead.with(decision.head)
        }
        defer { state.withLock { [reader] in $0.reader = reader } }
        return try await more(&reader)
    }

    private func more(_ reader: inout ElementReader<Element>) async throws(SessionError) -> [Element] {
        while true {
            if let failure = state.withLock({ $0.takeFailure() }) { throw failure }
            let isAtEnd = state.withLock { state in
                state.isRead = state.isOver && !state.hasFailed
                return state.isOver
            }
            guard !isAtEnd else { return [] }
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

    /// The next elements come in another response.
    private func goOn(in opening: StreamSink.Opening, _ reader: inout ElementReader<Element>) {
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

    private func read(_ next: StreamSink.Next, _ reader: inout ElementReader<Element>) -> [Element] {
        var elements: [Element] = []
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
            case .end(let failure?):
                end(failure)
                return elements
            }
            end()
        } catch {
            let failure = SessionError(error, decision, .empty)
            end(failure)
            sink.close(failure)
        }
        return elements
    }

    /// Nothing more is received: well, or with what is thrown behind the elements that were found.
    private func end(_ failure: SessionError? = nil) {
        state.letGo { state in
            let dropped = state.failure
            (state.failure, state.isOver) = (failure, true)
            return dropped
        }
    }
}
