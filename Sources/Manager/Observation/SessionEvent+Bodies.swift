import PatchbayRegistry

// What an event tells while it may have to wait: all but the bodies, and the values that were made of them.

extension SessionError {
    /// The same error; nor have the errors underneath a body, as far as they are ours.
    func withoutBody() -> SessionError {
        var facts = facts
        facts.body = nil
        facts.value = nil
        facts.cause = facts.cause.map(Self.withoutBody)
        facts.bodyFailure = facts.bodyFailure.map(Self.withoutBody)
        var error = self
        error.facts = facts
        return error
    }

    private static func withoutBody(_ error: any Error) -> any Error {
        switch error {
        case let error as SessionError: error.withoutBody()
        case let error as LookupFailure: error.withoutBody()
        case let error as RetryFailure:
            RetryFailure(error: withoutBody(error.error), original: error.original.withoutBody())
        default: error
        }
    }
}

extension SessionRequest {
    func withoutContent() -> SessionRequest {
        var request = self
        request.content = nil
        return request
    }
}
