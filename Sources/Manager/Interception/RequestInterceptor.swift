/// Changes the requests of a session manager before they are sent, and says whether a call that failed is tried again.
///
/// Interceptors are named in `SessionConfiguration.interceptors` and `SessionRequest.interceptors`; the manager's come first. Both
/// methods may take their time: the idle clock of the call rests meanwhile, the total one runs on. When the call ends, because
/// it is cancelled or out of time, the task that a method runs in is cancelled and no longer waited for.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to send instead. Candidate before every try, with the request as its sender made it, or as the
    /// interceptor before this one left it. An error fails the try with code `adaptation`. A timeout that is changed holds once all
    /// have adapted the request; `isPausable`, the interceptors and the progress closures are the sender's alone.
    func adapt(_ request: SessionRequest) async throws -> SessionRequest

    /// Says what becomes of a call that failed, for whatever reason but a cancellation or the total timeout.
    ///
    /// The first interceptor that says anything but `doNotRetry` decides.
    /// - Parameters:
    ///   - request: the request as the interceptors made it.
    ///   - error: what failed; its `retries` says how often the call was tried again before.
    func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision
}

extension RequestInterceptor {
    public func adapt(_ request: SessionRequest) async throws -> SessionRequest { request }

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision { .doNotRetry }
}
