/// Carries one request and its response: the one thing that a session manager needs of a network.
///
/// A transport knows nothing of serializers, redirects, credentials, clocks or retries; all of these are above it and so behave
/// alike on every transport. It decodes the content codings that it asked for, hands over 2xx to 5xx heads as they are, drops
/// interim (1xx) responses, and sends no header field that the request does not have, except those that frame the
/// message (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`) and `Accept-Encoding` for the codings it can undo.
public protocol Transport: Sendable {
    /// Performs one exchange and returns when it is over.
    ///
    /// The calls to `receiver` come one at a time, in order: the head once, then chunks of the body, none after the return. A
    /// body shorter than its announced length is a failure, never a success.
    ///
    /// When `receiver.stop` fires, or the Swift task is cancelled, the exchange ends at once with `.stopped`.
    /// - Throws: `TransportFailure`, after which the receiver hears no more.
    func perform(
        _ request: TransportRequest, for receiver: some ExchangeReceiver
    ) async throws(TransportFailure) -> ExchangeTimings

    /// Whether the transport sends and keeps cookies of this kind. A call that would use others fails before it is sent.
    func keeps(_ cookies: any CookieStore) -> Bool

    /// Whether the transport sends the fields behind a body (`RequestBodySource.trailers()`). A call that has any fails before it is
    /// sent where it does not.
    var sendsTrailers: Bool { get }
}

extension Transport {
    public func keeps(_ cookies: any CookieStore) -> Bool { false }
    public var sendsTrailers: Bool { false }
}
