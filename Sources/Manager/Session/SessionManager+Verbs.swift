public import PatchbayRegistry

/// One method a verb, twice: without a type the registry decides what the value is, with a type it finds who can make it.
///
/// What these parameters do not cover is a field of `SessionRequest`, for `send`.
extension SessionManager {
    /// Fetches what the target names; the registry decides what the value is.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and `parameters`, values of any depth, which the
    /// configuration's request serializer writes, sorted by name unless it is told otherwise. In both a blank is `%20`.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func get(
        _ target: some URLReference, parameters: Parameters? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("GET", target.urlReference, nil, parameters, query, headers).reply()
    }

    /// Fetches what the target names; the value is of the given type, made by the first entry that can produce it.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and `parameters`, values of any depth, which the
    /// configuration's request serializer writes, sorted by name unless it is told otherwise. In both a blank is `%20`.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func get<Value: Sendable>(
        _ target: some URLReference, as type: Value.Type, parameters: Parameters? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start("GET", target.urlReference, nil, parameters, query, headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Asks for the head of what the target names. The reply has no body; its head is the answer.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and `parameters`, values of any depth, which the
    /// configuration's request serializer writes, sorted by name unless it is told otherwise. In both a blank is `%20`.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func head(
        _ target: some URLReference, parameters: Parameters? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("HEAD", target.urlReference, nil, parameters, query, headers).reply()
    }

    /// Sends content to what the target names; the registry decides what the value is.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func post(
        _ target: some URLReference, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("POST", target.urlReference, content, parameters, [], headers).reply()
    }

    /// Sends content to what the target names; the value is of the given type, made by the first entry that can produce it.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: some URLReference, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start("POST", target.urlReference, content, parameters, [], headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Puts the content in the place that the target names; the registry decides what the value is.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func put(
        _ target: some URLReference, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("PUT", target.urlReference, content, parameters, [], headers).reply()
    }

    /// Puts the content in the place that the target names; the value is of the given type, made by the first entry that can produce it.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func put<Value: Sendable>(
        _ target: some URLReference, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start("PUT", target.urlReference, content, parameters, [], headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Changes what the target names by the content; the registry decides what the value is.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func patch(
        _ target: some URLReference, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("PATCH", target.urlReference, content, parameters, [], headers).reply()
    }

    /// Changes what the target names by the content; the value is of the given type, made by the first entry that can produce it.
    ///
    /// `parameters` become the body, as the configuration's request serializer writes them, where there is no content of your own:
    /// both together are an error. The query that is sent is what stands behind a `?` in the target, as it is written.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func patch<Value: Sendable>(
        _ target: some URLReference, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start("PATCH", target.urlReference, content, parameters, [], headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Deletes what the target names; the registry decides what the value is.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and `parameters`, values of any depth, which the
    /// configuration's request serializer writes, sorted by name unless it is told otherwise. In both a blank is `%20`.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func delete(
        _ target: some URLReference, parameters: Parameters? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start("DELETE", target.urlReference, nil, parameters, query, headers).reply()
    }

    /// Deletes what the target names; the value is of the given type, made by the first entry that can produce it.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and `parameters`, values of any depth, which the
    /// configuration's request serializer writes, sorted by name unless it is told otherwise. In both a blank is `%20`.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func delete<Value: Sendable>(
        _ target: some URLReference, as type: Value.Type, parameters: Parameters? = nil,
        query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start("DELETE", target.urlReference, nil, parameters, query, headers, producing: .type(type))
            .reply().value(as: type)
    }

    /// Any method, named as it is sent; the registry decides what the value is.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and, for GET, HEAD and DELETE, `parameters`, values of
    /// any depth, which the configuration's request serializer writes. In both a blank is `%20`. For other methods the parameters
    /// become the body, where there is no content of your own: both together are an error.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func request(
        _ method: String, _ target: some URLReference, _ content: RequestContent? = nil,
        parameters: Parameters? = nil, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start(method, target.urlReference, content, parameters, query, headers).reply()
    }

    /// Any method, named as it is sent; the value is of the given type, made by the first entry that can produce it.
    ///
    /// The query that is sent has three sources, one behind the other: what stands behind a `?` in the target, as it is written;
    /// `query`, names and values that are percent-encoded, in their order; and, for GET, HEAD and DELETE, `parameters`, values of
    /// any depth, which the configuration's request serializer writes. In both a blank is `%20`. For other methods the parameters
    /// become the body, where there is no content of your own: both together are an error.
    /// - Throws: `SessionError`, once, whatever went wrong.
    public nonisolated(nonsending) func request<Value: Sendable>(
        _ method: String, _ target: some URLReference, _ content: RequestContent? = nil, as type: Value.Type,
        parameters: Parameters? = nil, query: QueryItems = [], headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await start(method, target.urlReference, content, parameters, query, headers, producing: .type(type))
            .reply().value(as: type)
    }
}
