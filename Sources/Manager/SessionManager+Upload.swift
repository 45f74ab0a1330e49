public import PatchbayRegistry

/// Requests whose content is the point: files, streams, data, forms. There is no total timeout, unless the request sets one.
extension SessionManager {
    /// Sends content: `.file(url)`, `.data(bytes)`, `.stream { … }`, `.multipart(form)` or any other; the registry decides what the
    /// value is. What stands behind a `?` in the target is sent as the query, as it is written.
    public nonisolated(nonsending) func upload(
        _ content: RequestContent, to target: some URLReference, method: String = "POST", headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await upload(SessionRequest(method, target, content: content, headers: headers))
    }

    /// The same; the value is of the given type.
    public nonisolated(nonsending) func upload<Value: Sendable>(
        _ content: RequestContent, to target: some URLReference, as type: Value.Type, method: String = "POST",
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await upload(SessionRequest(method, target, content: content, headers: headers), as: type).value
    }

    /// Sends the request as an upload; the registry decides what the value is.
    public nonisolated(nonsending) func upload(
        _ request: SessionRequest
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start(.upload, request).reply()
    }

    /// Sends the request as an upload; the value is of the given type.
    public nonisolated(nonsending) func upload<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        try await start(.upload, request, producing: .type(type)).reply().typed()
    }
}
