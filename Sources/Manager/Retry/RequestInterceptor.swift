// Retries: interceptors, the built-in policy, and streams of events that reconnect. Call/Call+Retry has the limits that
// no policy can change: for example, a body that can't be read twice is not sent twice.

import PatchbayPlatform
public import PatchbayRegistry

/// Changes the requests of a session manager before they are sent, signs them, and decides whether a failed call is
/// retried.
///
/// Name interceptors in `SessionConfiguration.interceptors` and `SessionRequest.interceptors`. The interceptors of the
/// configuration come first. All methods are allowed to take a long time. While a method runs, the idle timeout stops,
/// but the total timeout continues. When the call ends because it is cancelled or out of time, the task that a method
/// runs in is cancelled, and the call no longer waits for the method.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to send instead. Called before every attempt, with the request of the caller or the result
    /// of the previous interceptor. If this method throws, the attempt fails with code `adaptation`. A changed timeout
    /// takes effect when all interceptors have adapted the request. Changes of the interceptors and the progress
    /// closures have no effect, nor of `isPausable`, which `PatchbayMigration` adds.
    func adapt(_ request: SessionRequest) async throws -> SessionRequest

    /// Adds fields that depend on the finished request, such as a signature. The default adds none.
    ///
    /// The manager calls `sign` at each attempt, after the body is written and all other fields are set. After a
    /// redirect to the same origin, `sign` is called again, with the fields as they were before signing. A redirect to
    /// another origin is sent without the fields that `sign` added, and `sign` is not called for it.
    /// - Parameters:
    ///   - head: the method, the URL and the fields that are sent. The cookies of a jar, `Host`, and the fields of framing
    ///     and compression are still added. Only changes of `fields` count.
    ///   - body: the body; nil for a request without a body. `data` holds the bytes. Don't read a `source`: it is read
    ///     while the body is sent.
    /// - Throws: an error of any type. The attempt fails with code `adaptation`, and nothing is sent.
    func sign(_ head: inout RequestHead, body: RequestBody?) async throws

    /// Decides whether a failed call is retried. Not called after a cancellation or the total timeout.
    ///
    /// The first interceptor that returns another decision than `doNotRetry` decides.
    /// - Parameters:
    ///   - request: the request as the interceptors made it.
    ///   - error: the failure; its `retries` is the number of earlier retries of the call.
    func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision
}

extension RequestInterceptor {
    public func adapt(_ request: SessionRequest) async throws -> SessionRequest { request }

    public func sign(_ head: inout RequestHead, body: RequestBody?) async throws {}

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision { .doNotRetry }
}

/// An interceptor that never signs. Its `sign` is not called: each such call takes a task.
package protocol NeverSigningInterceptor: RequestInterceptor {}

/// The decision of an interceptor about a failed call.
public enum RetryDecision: Sendable {
    /// Try again immediately.
    case retry
    /// Try again after this delay.
    case retryAfter(Duration)
    /// Leave the decision to the next interceptors. If every interceptor returns `doNotRetry`, the call fails.
    case doNotRetry
    /// Fail the call with code `retryRefused`. The error becomes the `cause`.
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
