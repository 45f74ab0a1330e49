/// When a stream of server-sent events reconnects after its connection has ended (WHATWG HTML, section 9.2.3). The
/// request must be a GET.
///
/// A stream reconnects when the body has ended, when the connection is lost, and when no byte arrived within the idle
/// timeout. A stream doesn't reconnect when its entry reports the end of the elements. The new request is a copy of the
/// first request, passes the interceptors again, and sends the last event ID of the stream in `Last-Event-ID`, if there
/// is one. An incomplete event is dropped, and its ID is ignored. Status 204 ends the stream without an error. Any
/// other response that the entry of the first response does not read ends the stream with an error, also 5XX, unless an
/// interceptor retries the request. Without an interceptor, only network failures lead to another request.
///
/// Each wait is lengthened at random by up to one half, so that the streams of a failed server don't all reconnect at
/// once. No wait is shorter than the delay that the server set, unless that delay exceeds `allowedDelays`.
public struct EventReconnection: Sendable, Hashable {
    /// The delay before a new request, until the stream sets one (`retry`).
    public var delay: Duration
    /// The bounds of a delay, before it is lengthened at random. A longer delay from the server is reduced to the upper
    /// bound, so the longest wait is one and a half times the upper bound. The delay doubles with each request in a row
    /// that fails.
    public var allowedDelays: ClosedRange<Duration>
    /// The number of requests in a row that can fail before the last failure is thrown. If nil, there is no limit.
    public var maximumAttempts: Int?

    /// Reconnects after 3 seconds, or after the server's delay, any number of times.
    public static let standard = EventReconnection()

    /// The settings of `standard`, except for the given settings.
    /// - Parameters:
    ///   - delay: the delay before a new request, until the stream sets one.
    ///   - allowedDelays: the bounds of a delay.
    ///   - maximumAttempts: the number of requests in a row that can fail; nil for no limit.
    public init(
        delay: Duration = .seconds(3), allowedDelays: ClosedRange<Duration> = .milliseconds(500) ... .seconds(300),
        maximumAttempts: Int? = nil
    ) {
        self.delay = delay
        self.allowedDelays = allowedDelays
        self.maximumAttempts = maximumAttempts
    }

    /// How long to wait before the next request.
    /// - Parameters:
    ///   - asked: the delay that the server set; nil if it set none.
    ///   - failures: how many requests in a row have failed.
    ///   - spread: from 0 for the delay itself to 1 for one and a half times the delay.
    func pause(_ asked: Duration?, after failures: Int, spread: Double) -> Duration {
        let most = max(allowedDelays.upperBound.waitable, .zero)
        var pause = min(max(asked ?? delay, allowedDelays.lowerBound, .zero), most)
        var left = failures
        while left > 0, pause < most {
            pause = min(max(pause, .milliseconds(1)) * 2, most)
            left -= 1
        }
        // The added time is never negative, and at most half a century.
        return pause + pause * (spread / 2)
    }

    /// Whether a failure is a failure of the network, and so can be temporary.
    static func mayPass(_ error: SessionError) -> Bool {
        guard let failure = error.cause as? TransportFailure else { return error.code == .idleTimeout }
        return error.code == .transport && RetryPolicy().transportFailures.contains(failure.code)
    }
}
