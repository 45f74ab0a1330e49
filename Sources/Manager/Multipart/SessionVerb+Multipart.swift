public import PatchbayRegistry

/// Forms of named parts. A call with one is an upload: it has no total timeout, unless the request sets one.
extension SessionVerb {
    /// Sends a form of named parts as the body; the parameters are parts before those of the form.
    public nonisolated(nonsending) func callAsFunction(
        _ target: some URLReference, multipart form: MultipartFormData, parameters: Parameters? = nil,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.upload(SessionRequest(method, target, multipart: form, parameters, headers))
    }

    /// Sends a form of named parts as the body; the parameters are parts before those of the form.
    public nonisolated(nonsending) func callAsFunction<Value: Sendable>(
        _ target: some URLReference, multipart form: MultipartFormData, parameters: Parameters? = nil,
        as type: Value.Type,
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await manager.upload(SessionRequest(method, target, multipart: form, parameters, headers), as: type).value
    }
}

extension SessionRequest {
    init(
        _ method: String, _ target: some URLReference, multipart form: MultipartFormData, _ parameters: Parameters?,
        _ headers: HeaderFields
    ) {
        self.init(method, target, headers: headers)
        do {
            content = .multipart(try parameters.map { try form.preceded(by: $0) } ?? form)
        } catch {
            parametersFailure = SessionError(
                .invalidRequest, "the request was not sent: its parameters could not be made parts of a form",
                cause: error)
        }
    }
}
