package import PatchbayPlatform
package import PatchbayRegistry

/// What another module of the package adds to a request and to the calls that send it. Nil in the core.
package protocol CallHook: Sendable {
    /// A query that is percent-encoded already, added after `SessionRequest.query`.
    var encodedQuery: String? { get }
    /// Whether suspending the call's task also pauses its bodies in the middle of a transfer.
    var pausesBodies: Bool { get }
    /// Checks of the complete response, run after `SessionRequest.validators`. The file of a download is complete, and
    /// keeps its hidden name until all checks have passed.
    var checks: [ResponseCheck] { get }

    /// Changes the request of an attempt, after the interceptors and before it is checked. For a request without a hook,
    /// the hook of the configuration is called.
    /// - Parameter standard: the hook of the configuration.
    func prepare(_ request: inout SessionRequest, _ standard: (any CallHook)?) throws(SessionError)

    /// Codes a body in memory and returns the name for Content-Encoding (RFC 9110, section 8.4); nil leaves the body as
    /// it is.
    func coded(_ body: Data) throws(SessionError) -> (name: String, data: Data)?

    /// Called when a call of the request has ended.
    /// - Parameter tell: to be called once: tells the observers of the end.
    func callEnded(_ task: SessionTask, _ tell: @escaping @Sendable () -> Void)
}

/// A check of a response. It gets the head, the body and, for a download, the file.
package typealias ResponseCheck = @Sendable (ResponseHead, ResponseBody, URL?) throws -> Void
