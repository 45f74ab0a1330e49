public import PatchbayManager
package import PatchbayPlatform

/// An interceptor made of closures, which never signs.
public struct MadeInterceptor: RequestInterceptor, NeverSigningInterceptor {
    private let change: @Sendable (SessionRequest) async throws -> SessionRequest
    private let decide: @Sendable (SessionRequest, SessionError) async -> RetryDecision

    /// An interceptor of two closures. Without `adapt` it changes nothing; without `retry` it retries nothing.
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

/// An observer made of a closure.
public struct MadeObserver: SessionObserver {
    private let body: @Sendable (SessionEvent) async -> Void

    public init(_ body: @escaping @Sendable (SessionEvent) async -> Void) { self.body = body }

    public func observe(_ event: SessionEvent) async { await body(event) }
}

/// What a test adds to a request: a last change after its interceptors, checks of the response, a query, pauses.
package struct MadeHook: CallHook {
    package let encodedQuery: String?
    package let pausesBodies: Bool
    package let checks: [ResponseCheck]
    private let change: @Sendable (inout SessionRequest) throws(SessionError) -> Void

    package init(
        encodedQuery: String? = nil, pausesBodies: Bool = false, checks: [ResponseCheck] = [],
        _ change: @escaping @Sendable (inout SessionRequest) throws(SessionError) -> Void = { _ in }
    ) {
        (self.encodedQuery, self.pausesBodies, self.checks) = (encodedQuery, pausesBodies, checks)
        self.change = change
    }

    package func prepare(_ request: inout SessionRequest, _ standard: (any CallHook)?) throws(SessionError) {
        try change(&request)
    }

    package func coded(_ body: Data) -> (name: String, data: Data)? { nil }

    package func callEnded(_ task: SessionTask, _ tell: @escaping @Sendable () -> Void) { tell() }
}
