extension SessionRequest {
    /// Lets the request's modifier change it, and its serializer put its parameters in their place.
    mutating func prepare(by standard: any RequestSerializer) throws(SessionError) {
        do {
            try modifier?(&self)
        } catch {
            throw SessionError(.invalidRequest, "the request was not sent: its modifier failed", cause: error)
        }
        if let parametersFailure { throw parametersFailure }
        do {
            try (serializer ?? standard).serialize(parameters, into: &self)
        } catch let failure as ParametersFailure {
            throw SessionError(.invalidRequest, "the request was not sent: \(failure.reason)", cause: failure)
        } catch {
            throw SessionError(
                .invalidRequest, "the request was not sent: its parameters could not be serialized", cause: error)
        }
    }
}
