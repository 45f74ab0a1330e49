import PatchbayPlatform
public import PatchbayRegistry

/// Responses that are read element by element. When the head has arrived, the registry decides which entry finds the
/// elements: the same loop reads events, lines, records or parts, depending on the response.
extension SessionManager {
    /// Fetches the target resource and gives its elements while they arrive.
    ///
    /// Without a type, the elements are those of the first entry that yields elements (`ServerSentEvent`, `JSON`,
    /// `CSVRow`, `ResponsePart`, the lines of a text). If no entry yields elements, the value of the chosen entry is
    /// the only element. Without an entry, the elements are the pieces of the body, as `Data`.
    ///
    /// The elements of type `String` are the lines of a text, and the elements of type `Data` are the pieces of the
    /// body as they arrive. Elements of any other type are made by the first entry that yields this type, or any
    /// `Decodable` type. If there is no such entry, the first entry that makes a value of the type gives the only
    /// element. Each element has a size limit, but the stream has none. There is no total timeout, unless the request
    /// sets one.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the elements. Without a type the entry chooses it.
    ///   - reconnection: the rules for reconnecting a stream of events; nil if the stream never reconnects.
    /// - Throws: `SessionError` before the first element: if the status is not acceptable, with the body of the error,
    ///   and if no entry can make the elements.
    public nonisolated(nonsending) func stream<Element: Sendable>(
        _ target: String, query: QueryItems = [], headers: HeaderFields = [:],
        of type: Element.Type = (any Sendable).self, reconnecting reconnection: EventReconnection? = nil
    ) async throws(SessionError) -> ResponseStream<Element> {
        try await stream(
            SessionRequest(target, query: query, headers: headers), of: type, reconnecting: reconnection)
    }

    /// Sends the request, and gives the elements of its response while they arrive.
    ///
    /// Validators of the request get the head, but no body. After the stream is open, the request is sent again only if
    /// `reconnecting` is not nil.
    /// - Parameters:
    ///   - request: the request.
    ///   - type: the type of the elements. Without a type the entry chooses it.
    ///   - reconnection: the rules for reconnecting a stream of events; nil if the stream never reconnects.
    /// - Throws: `SessionError` before the first element, as for a target.
    public nonisolated(nonsending) func stream<Element: Sendable>(
        _ request: SessionRequest, of type: Element.Type = (any Sendable).self,
        reconnecting reconnection: EventReconnection? = nil
    ) async throws(SessionError) -> ResponseStream<Element> {
        let sink = StreamSink(limit: max(1, configuration.maximumWaitingStreamBytes), reconnection)
        let call = makeCall(.stream, request, producing: .elements(of: type), read: sink)
        call.task.begin()
        guard let stream = try await call.stream(sink) as ResponseStream<Element>? else { throw SessionError(.noHead) }
        return stream
    }

    /// The response of a call that takes elements or one value.
    package enum Opened: Sendable {
        case elements(ResponseStream<any Sendable>)
        case value(Reply<any Sendable>)
    }

    /// Sends the request. If only an entry for elements reads the response, or if it is `text/event-stream`, gives its
    /// elements while they arrive, as `stream` does, without a total timeout unless the request sets one. Otherwise
    /// gives its value, as `send` does.
    package nonisolated(nonsending) func open(_ request: SessionRequest) async throws(SessionError) -> Opened {
        let sink = StreamSink(limit: max(1, configuration.maximumWaitingStreamBytes))
        let call = makeCall(.data, request, producing: .anything, read: sink)
        call.task.begin()
        let reply = Guarded<Reply<any Sendable>?>(nil)
        let stream: ResponseStream<any Sendable>? = try await call.stream(sink) { made in reply.withLock { $0 = made } }
        if let stream { return .elements(stream) }
        guard let made = reply.withLock({ $0 }) else { throw SessionError(.noHead) }
        return .value(made)
    }
}

extension Call {
    /// Runs the call in a task of its own. The reader gets the elements when the head has arrived.
    /// - Parameter take: gets the reply before a result of nil is returned.
    /// - Returns: nil if the call has a reply without elements.
    nonisolated(nonsending) func stream<Element: Sendable>(
        _ sink: StreamSink, or take: @escaping @Sendable (Reply<any Sendable>) -> Void = { _ in }
    ) async throws(SessionError) -> ResponseStream<Element>? {
        try await concurrently { () async throws(SessionError) in try await opened(sink, or: take) }
    }

    private func opened<Element: Sendable>(
        _ sink: StreamSink, or take: @escaping @Sendable (Reply<any Sendable>) -> Void
    ) async throws(SessionError) -> ResponseStream<Element>? {
        Task {
            do throws(SessionError) {
                let reply = try await reply()
                take(reply)
                sink.end(.success(reply.trailers))
            } catch {
                sink.end(.failure(error))
            }
        }
        let task = task
        let result = await withTaskCancellationHandler { () async -> Result<StreamSink.Opening?, SessionError> in
            do throws(SessionError) { return .success(try await sink.opened()) } catch { return .failure(error) }
        } onCancel: {
            task.cancel()
        }
        guard let opening = try result.get() else { return nil }
        do throws(SessionError) {
            return ResponseStream(try ElementSource(self, opening, sink))
        } catch {
            sink.close(error)
            throw error
        }
    }
}
