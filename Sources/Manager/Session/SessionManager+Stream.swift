public import PatchbayRegistry

/// Responses that are read element by element. The registry decides, when the head is there, who finds the elements: one loop reads
/// events, lines, records or parts, and the response says which.
extension SessionManager {
    /// Fetches what the target names, and gives its elements while they arrive.
    ///
    /// Without a type the registry decides what they are: those of the first entry that yields any (`ServerSentEvent`, `JSON`, `CSVRow`,
    /// `ResponsePart`, the lines of a text). Where none does, what the chosen entry makes is the only element, and without an entry the
    /// pieces are, as `Data`.
    ///
    /// Of the types `String` are the lines of a text, `Data` the pieces as they come. Any other type is made by the first entry that
    /// yields it, or any `Decodable`; where none does, by the first that makes one value of it, which is the only element then. There is
    /// no limit on the whole, only on each element, and no total timeout, unless the request sets one.
    /// - Parameters:
    ///   - target: the URL, or a path that is resolved against the base URL.
    ///   - query: query items that are appended to those of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the elements. Without a type the entry chooses it.
    ///   - reconnection: when a stream of events continues with another response; nil for never.
    /// - Throws: `SessionError` before the first element: where the status is not acceptable, with the body of the error, and where
    ///   no entry can make the elements.
    public nonisolated(nonsending) func stream<Element: Sendable>(
        _ target: String, query: QueryItems = [], headers: HeaderFields = [:],
        of type: Element.Type = (any Sendable).self, reconnecting reconnection: EventReconnection? = nil
    ) async throws(SessionError) -> ResponseStream<Element> {
        try await stream(
            SessionRequest(target, query: query, headers: headers), of: type, reconnecting: reconnection)
    }

    /// Sends the request, and gives the elements of its response while they arrive.
    ///
    /// Validators of the request see the head, and no body. Once there is a stream the request is not sent again,
    /// unless `reconnecting` asks for that.
    /// - Parameters:
    ///   - request: the request.
    ///   - type: the type of the elements. Without a type the entry chooses it.
    ///   - reconnection: when a stream of events continues with another response; nil for never.
    /// - Throws: `SessionError` before the first element, as for a target.
    public nonisolated(nonsending) func stream<Element: Sendable>(
        _ request: SessionRequest, of type: Element.Type = (any Sendable).self,
        reconnecting reconnection: EventReconnection? = nil
    ) async throws(SessionError) -> ResponseStream<Element> {
        let sink = StreamSink(limit: max(1, configuration.maximumWaitingStreamBytes), reconnection)
        let call = makeCall(.stream, request, producing: .elements(of: type), read: sink)
        call.task.begin()
        return try await call.stream(sink)
    }
}

extension Call {
    /// Runs the call beside its reader, who gets the elements when the head is there.
    nonisolated(nonsending) func stream<Element: Sendable>(
        _ sink: StreamSink
    ) async throws(SessionError) -> ResponseStream<Element> {
        try await concurrently { () async throws(SessionError) in try await opened(sink) }
    }

    private func opened<Element: Sendable>(
        _ sink: StreamSink
    ) async throws(SessionError) -> ResponseStream<Element> {
        Task {
            do throws(SessionError) {
                sink.end(.success(try await reply().trailers))
            } catch {
                sink.end(.failure(error))
            }
        }
        let task = task
        let result = await withTaskCancellationHandler { () async -> Result<StreamSink.Opening, SessionError> in
            do throws(SessionError) { return .success(try await sink.opened()) } catch { return .failure(error) }
        } onCancel: {
            task.cancel()
        }
        let opening = try result.get()
        do throws(SessionError) {
            return ResponseStream(try ElementSource(self, opening, sink))
        } catch {
            sink.close(error)
            throw error
        }
    }
}
