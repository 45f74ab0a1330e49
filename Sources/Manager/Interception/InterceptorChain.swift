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

    /// What the first interceptor says that does not leave it to the others, and which one it is.
    ///
    /// - Parameter retries: how often each of them had the call tried again before.
    func decision(
        _ request: HTTPRequest, after error: SessionError, _ retries: [Int]
    ) async -> (decision: RetryDecision, by: Int) {
        for (index, interceptor) in interceptors.enumerated() {
            var error = error
            error.facts.ownRetries = retries[index]
            let decision = await interceptor.retry(request, after: error)
            if case .doNotRetry = decision { continue }
            return (decision, index)
        }
        return (.doNotRetry, 0)
    }
}
