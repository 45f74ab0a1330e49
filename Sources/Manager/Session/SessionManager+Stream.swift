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
    ///   - path: the values of the names in braces, if the target is a template such as `users/{id}`.
    ///   - query: query items that are appended to the query of the target.
    ///   - headers: header fields of the request; each replaces the field of the same name in the configuration.
    ///   - type: the type of the elements. Without a type the entry chooses it.
    ///   - reconnection: the rules for reconnecting a stream of events; nil if the stream never reconnects.
    /// - Throws: `SessionError` before the first element: if the status is not acceptable, with the body of the error,
    ///   and if no entry can make the elements.
    public nonisolated(nonsending) func stream<Element: Sendable>(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:],
        of type: Element.Type = (any Sendable).self, reconnecting reconnection: EventReconnection? = nil
    ) async throws(SessionError) -> ResponseStream<Element> {
        try await stream(
            SessionRequest(target, path: path, query: query, headers: headers), of: type, reconnecting: reconnection)
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
        let sink = StreamBody(limit: max(1, configuration.maximumWaitingStreamBytes), reconnection)
        let call = makeCall(.stream, request, producing: .elements(of: type), read: sink)
        guard let stream: ResponseStream<Element> = try await call.elementsOrReply(sink).elements else {
            throw SessionError(.noHead)
        }
        return stream
    }

    /// Sends the request. If only an entry for elements reads the response, or if it is `text/event-stream`, gives its
    /// elements while they arrive, without a total timeout unless the request sets one. Otherwise gives its reply, as
    /// `send` does.
    /// - Returns: either the elements or the reply.
    package nonisolated(nonsending) func elementsOrReply(
        to request: SessionRequest
    ) async throws(SessionError) -> (elements: ResponseStream<any Sendable>?, reply: Reply<any Sendable>?) {
        let sink = StreamBody(limit: max(1, configuration.maximumWaitingStreamBytes))
        return try await makeCall(.data, request, producing: .valueOrElements, read: sink).elementsOrReply(sink)
    }
}
