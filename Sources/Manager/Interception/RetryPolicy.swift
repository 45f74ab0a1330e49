/// Tries a call again, after a delay that grows, where its failure may pass and its method may be repeated.
///
/// The defaults are those of Alamofire's `RetryPolicy`: two retries, after 0.5 s and 1 s.
public struct RetryPolicy: RequestInterceptor {
    /// How often a call is tried again.
    public var limit = 2
    /// The n-th delay, counted from 0, is `scale` times this to the power of n.
    public var exponentialBase = 2.0
    /// In seconds.
    public var scale = 0.5
    /// The methods that are idempotent (RFC 9110, section 9.2.2).
    public var methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]
    public var statuses: Set<Int> = [408, 500, 502, 503, 504]
    public var transportFailures: Set<TransportFailure.Code> = [
        .unresolvedHost, .refusedConnection, .lostConnection, .insecureConnection, .malformedResponse, .truncatedBody,
        .undecodableContent,
    ]
    /// Whether a call that was idle for too long is tried again.
    public var retriesIdleTimeouts = true

    /// A delay is a day at most.
    private static let longestDelay = 86_400.0

    public init() {}

    /// Tries again only where the connection was lost, before the response or in the middle of it.
    public static var connectionLost: RetryPolicy {
        var policy = RetryPolicy()
        policy.statuses = []
        policy.transportFailures = [.lostConnection, .truncatedBody]
        policy.retriesIdleTimeouts = false
        return policy
    }

    public func retry(_ request: HTTPRequest, after error: SessionError) async -> RetryDecision {
        guard error.retries < limit, methods.contains(request.method), mayPass(error) else { return .doNotRetry }
        return .retryAfter(delay(before: error.retries))
    }

    private func mayPass(_ error: SessionError) -> Bool {
        if let status = error.head?.status, statuses.contains(status) { return true }
        if error.code == .idleTimeout { return retriesIdleTimeouts }
        guard let failure = error.cause as? TransportFailure else { return false }
        return transportFailures.contains(failure.code)
    }

    private func delay(before retry: Int) -> Duration {
        var seconds = scale
        for _ in 0..<max(retry, 0) { seconds *= exponentialBase }
        return seconds > 0 ? .seconds(min(seconds, Self.longestDelay)) : .zero
    }
}
