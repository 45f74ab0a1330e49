extension HTTPRequest {
    /// What the request's modifier and the serializer of its parameters make of it.
    func prepared(by standard: any RequestSerializer) throws(SessionError) -> HTTPRequest {
        var request = self
        do {
            try modifier?(&request)
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: its modifier failed", cause: error)
        }
        if let failure = request.parametersFailure { throw failure }
        do {
            try (request.serializer ?? standard).serialize(request.parameters, into: &request)
        } catch let failure as ParametersFailure {
            throw SessionError(.invalidRequest, "the request was not sent: \(failure.reason)", cause: failure)
        } catch {
            throw SessionError(
                .invalidRequest, "the request was not sent: its parameters could not be serialized", cause: error)
        }
        return request
    }
}
