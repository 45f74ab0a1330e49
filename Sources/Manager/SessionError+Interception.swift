extension SessionError {
    /// An interceptor threw instead of giving a request.
    init(adapting error: any Error) {
        let reason = (error as? AuthenticationFailure)?.description ?? "an interceptor failed"
        self.init(.adaptation, "the request was not sent: \(reason)", cause: error)
    }

    /// An interceptor ended the call with a reason of its own; all that is known of the response stays.
    init(retrying original: SessionError, _ error: any Error) {
        let reason = (error as? AuthenticationFailure)?.description ?? "an interceptor gave a reason"
        self = original
        facts.code = .retryFailed
        facts.reason = "\(original.reason); it was not tried again: \(reason)"
        facts.cause = RetryFailure(error: error, original: original)
    }

    /// The call ended while its interceptors were at work.
    init(_ end: Timeouts.End, after failure: SessionError?) {
        if let failure {
            self.init(end, of: failure)
            facts.cause = failure
        } else {
            self.init(end)
        }
    }

    /// The call ended, and what had become of it by then stays known.
    init(_ end: Timeouts.End, of failure: SessionError) {
        self.init(end)
        facts.request = failure.request
        facts.head = failure.head
        facts.resumption = failure.resumption
        facts.retries = failure.retries
    }
}
