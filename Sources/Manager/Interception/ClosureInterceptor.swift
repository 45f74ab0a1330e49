/// An interceptor made of closures.
public struct ClosureInterceptor: RequestInterceptor {
    private let change: @Sendable (SessionRequest) async throws -> SessionRequest
    private let decide: @Sendable (SessionRequest, SessionError) async -> RetryDecision

    /// An interceptor of two closures; one that is left out changes nothing, or tries nothing again.
    public init(
        adapt: @escaping @Sendable (SessionRequest) async throws -> SessionRequest = { $0 },
        retry: @escaping @Sendable (SessionRequest, SessionError) async -> RetryDecision = { _, _ in .doNotRetry }
    ) {
        change = adapt
        decide = retry
    }

    public func adapt(_ request: SessionRequest) async throws -> SessionRequest { try await change(request) }

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        await decide(request, error)
    }
}
