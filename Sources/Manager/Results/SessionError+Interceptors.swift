import PatchbayPlatform
import PatchbayRegistry

/// The errors of interceptors, and of calls that end while interceptors run.
extension SessionError {
    /// The error of an interceptor that threw instead of returning a request.
    init(adapting error: any Error) {
        let refusal = (error as? Refusal)?.reason
        let reason = refusal ?? "\(FailureReason(error, naming: "an interceptor threw"))"
        let credential = error as? AuthenticationFailure
        // The reason can be that of a request which the interceptor made.
        let notSent = "the request was not sent: "
        self.init(
            credential?.code ?? .adaptation, reason.hasPrefix(notSent) ? reason : notSent + reason,
            cause: refusal == nil && credential == nil ? error : nil)
    }

    /// The error of an interceptor that ended the call with a reason of its own. The facts about the response are kept.
    init(retrying original: SessionError, _ error: any Error) {
        let reason = FailureReason(error, naming: "an interceptor gave the reason")
        self = original
        let credential = error as? AuthenticationFailure
        facts.code = credential?.code ?? .retryRefused
        facts.reason = "\(original.reason); it was not tried again: \(reason)"
        facts.cause = credential == nil ? error : nil
        facts.original = original
    }

    /// The error of a call that ended while its interceptors were running.
    init(_ end: Timeouts.End, after failure: SessionError?) {
        if let failure {
            self.init(end, of: failure)
            facts.cause = failure
        } else {
            self.init(end)
        }
    }

    /// The error of a call that ended. The facts of `failure` are kept.
    init(_ end: Timeouts.End, of failure: SessionError) {
        self.init(end)
        facts.request = failure.request
        facts.head = failure.head
        facts.resumption = failure.resumption
        facts.retries = failure.retries
        facts.exchange = failure.timeline?.exchange ?? failure.facts.exchange
        facts.hops = failure.timeline?.hops ?? failure.facts.hops
        (facts.writer, facts.writingFailure) = (failure.facts.writer, failure.facts.writingFailure)
    }
}
