public import PatchbayRegistry

extension SessionManager {
    /// Sends a form of named parts; the parameters are parts before those of the form. What stands behind a `?` in the target is
    /// sent as the query, as it is written.
    public nonisolated(nonsending) func post(
        _ target: some URLReference, multipart form: MultipartFormData, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        let request = try HTTPRequest(target, multipart: form, parameters, headers)
        let (task, snapshot) = (makeTask(.upload, request), registry)
        task.resume()
        return try await send(task, snapshot)
    }

    /// The same; the value is of the given type.
    public nonisolated(nonsending) func post<Value: Sendable>(
        _ target: some URLReference, multipart form: MultipartFormData, parameters: Parameters? = nil,
        as type: Value.Type,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        let request = try HTTPRequest(target, multipart: form, parameters, headers)
        let (task, snapshot) = (makeTask(.upload, request), registry)
        task.resume()
        return try await send(task, snapshot, as: type).value
    }
}

extension HTTPRequest {
    fileprivate init(
        _ target: some URLReference, multipart form: MultipartFormData, _ parameters: Parameters?,
        _ headers: HeaderFields
    ) throws(SessionError) {
        do {
            let whole = try parameters.map { try form.preceded(by: $0) } ?? form
            self.init("POST", target, content: .multipart(whole), headers: headers)
        } catch {
            throw SessionError(
                .invalidRequest, "the request was not sent: its parameters could not be made parts of a form",
                cause: error)
        }
    }
}
