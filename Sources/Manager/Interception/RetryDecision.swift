import PatchbayRegistry

/// What an interceptor says about a call that failed.
public enum RetryDecision: Sendable {
    /// Try again at once.
    case retry
    /// Try again after so long.
    case retryAfter(Duration)
    /// Leave it to the interceptors that follow; where there are none, the call fails.
    case doNotRetry
    /// Fail the call with code `retryFailed`, for this reason.
    case doNotRetryWithError(any Error)
}

extension RetryDecision: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .retry: "try again"
        case .retryAfter(let delay): "try again after \(delay)"
        case .doNotRetry: "do not try again"
        case .doNotRetryWithError(let error): "do not try again: \(FailureReason(error))"
        }
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
