public import PatchbayManager

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

/// A last change of a request, after its interceptors.
package struct MadeAddition: RequestAddition {
    private let change: @Sendable (inout SessionRequest) throws(SessionError) -> Void

    package init(_ change: @escaping @Sendable (inout SessionRequest) throws(SessionError) -> Void) {
        self.change = change
    }

    package func prepare(
        _ request: inout SessionRequest, _ standard: (any RequestAddition)?
    ) throws(SessionError) {
        try change(&request)
    }
}
