// Another try: who may ask for one (interceptors), the rule that is built in, and the stream of events that is asked for again. What
// no rule can do, such as send a body twice that cannot be read twice, is held in Call/Call+Retry.

import PatchbayPlatform
public import PatchbayRegistry

/// Changes the requests of a session manager before they are sent, signs them, and says whether a call that failed is tried again.
///
/// Interceptors are named in `SessionConfiguration.interceptors` and `SessionRequest.interceptors`; the manager's come first. All
/// methods may take their time: the idle clock of the call rests meanwhile, the total one runs on. When the call ends, because
/// it is cancelled or out of time, the task that a method runs in is cancelled and no longer waited for.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to send instead. Asked before every try, with the request as its sender made it, or as the
    /// interceptor before this one left it. An error fails the try with code `adaptation`. A timeout that is changed holds once all
    /// have adapted the request; `holdsBodies`, the interceptors and the progress closures are the sender's alone.
    func adapt(_ request: SessionRequest) async throws -> SessionRequest

    /// Adds fields that depend on the finished request, such as a signature. The default adds none.
    ///
    /// The manager calls it at each attempt, after the body is written and all other fields are set. After a redirect to the same origin it
    /// is called again, with the fields as they were before signing. A redirect to another origin is sent without the fields that `sign`
    /// added, and `sign` is not called for it.
    /// - Parameters:
    ///   - head: the method, the URL and the fields that are sent. The transport still adds `Host`, cookies, and the fields of framing and
    ///     compression. Only changes of `fields` count.
    ///   - body: the body; nil for a request without one. `data` holds its bytes; leave a `source` unread, it is read while it is sent.
    /// - Throws: an error of any type. The attempt fails with code `adaptation`, and nothing is sent.
    func sign(_ head: inout RequestHead, body: RequestBody?) async throws

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

    public func sign(_ head: inout RequestHead, body: RequestBody?) async throws {}

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision { .doNotRetry }
}

/// An interceptor that never signs. A call does not ask it.
package protocol NeverSigningInterceptor: RequestInterceptor {}

/// What an interceptor says about a call that failed.
public enum RetryDecision: Sendable {
    /// Try again at once.
    case retry
    /// Try again after so long.
    case retryAfter(Duration)
    /// Leave it to the interceptors that follow; where there are none, the call fails.
    case doNotRetry
    /// Fail the call with code `retryRefused`, for this reason, which becomes the `cause`.
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
