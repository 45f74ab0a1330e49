/// An interceptor made of closures.
public struct ClosureInterceptor: RequestInterceptor {
    private let change: @Sendable (HTTPRequest) async throws -> HTTPRequest
    private let decide: @Sendable (HTTPRequest, SessionError) async -> RetryDecision

    /// An interceptor of two closures; one that is left out changes nothing, or tries nothing again.
    public init(
        adapt: @escaping @Sendable (HTTPRequest) async throws -> HTTPRequest = { $0 },
        retry: @escaping @Sendable (HTTPRequest, SessionError) async -> RetryDecision = { _, _ in .doNotRetry }
    ) {
        change = adapt
        decide = retry
    }

    public func adapt(_ request: HTTPRequest) async throws -> HTTPRequest { try await change(request) }

    public func retry(_ request: HTTPRequest, after error: SessionError) async -> RetryDecision {
        await decide(request, error)
    }
}
