/// The interceptors of one call, in the order in which they are asked.
struct InterceptorChain: Sendable {
    let interceptors: [any RequestInterceptor]

    var isEmpty: Bool { interceptors.isEmpty }

    func adapt(_ request: HTTPRequest) async -> Result<HTTPRequest, SessionError> {
        var request = request
        for interceptor in interceptors {
            do {
                request = try await interceptor.adapt(request)
            } catch {
                return .failure(SessionError(adapting: error))
            }
        }
        return .success(request)
    }

    func decision(_ request: HTTPRequest, after error: SessionError) async -> RetryDecision {
        for interceptor in interceptors {
            let decision = await interceptor.retry(request, after: error)
            if case .doNotRetry = decision { continue }
            return decision
        }
        return .doNotRetry
    }
}
