extension SessionError {
    /// An interceptor threw instead of giving a request.
    init(adapting error: any Error) {
        let reason = (error as? AuthenticationFailure)?.description ?? "an interceptor failed"
        self.init(.adaptation, "the request was not sent: \(reason)", cause: error)
    }

    /// An interceptor ended the call with a reason of its own; all that is known of the response stays.
    init(retrying original: SessionError, _ error: any Error) {
        let reason = (error as? AuthenticationFailure)?.description ?? "an interceptor gave a reason"
        self.init(
            .retryFailed, "\(original.reason); it was not tried again: \(reason)", stage: original.stage,
            cause: RetryFailure(error: error, original: original))
        request = original.request
        head = original.head
        decision = original.decision
        body = original.body
        value = original.value
        unwrapped = original.unwrapped
        entry = original.entry
        attempts = original.attempts
        bodyFailure = original.bodyFailure
        timeline = original.timeline
        retries = original.retries
        droppedCredentials = original.droppedCredentials
        resumption = original.resumption
    }

    /// The call ended while its interceptors were at work.
    init(_ end: ExchangeClock.End, after failure: SessionError?) {
        self.init(end)
        request = failure?.request
        head = failure?.head
        resumption = failure?.resumption
        retries = failure?.retries ?? 0
        cause = failure
    }
}
