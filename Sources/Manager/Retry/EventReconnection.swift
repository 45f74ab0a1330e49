/// When a stream of server-sent events is asked for again after its connection has ended (WHATWG HTML, section 9.2.3), which only a
/// GET can be.
///
/// That is so where the body has ended, where the connection is lost and where no byte came for the idle timeout; not where an
/// entry says that the elements are over. The request is the same, through the same interceptors, and names the last event in
/// `Last-Event-ID`, if that had an id. An event that was not complete is dropped, and does not count for that. Status 204 ends the
/// stream well, any other answer that is no such stream ends it with an error, 5XX too, where no interceptor has the request tried
/// again: only a failing network is.
///
/// A wait is spread at random over one to one and a half times its length, so that the streams that a server has lost do not all come
/// back at once, and none before the time that it has asked for.
public struct EventReconnection: Sendable, Hashable {
    /// How long is waited before, until the stream says how long (`retry`).
    public var delay: Duration = .seconds(3)
    /// No wait is shorter or longer before it is spread, whatever the server says: a longer time of the server's is cut to the upper
    /// bound, and the longest wait is one and a half times that. It doubles with each request in a row that fails.
    public var allowedDelays: ClosedRange<Duration> = .milliseconds(500) ... .seconds(300)
    /// How many requests in a row may fail before the last failure is thrown; nil: any number.
    public var maximumAttempts: Int?

    /// After 3 seconds, or what the server says, as often as it takes.
    public static let standard = EventReconnection()

    /// The standard waits.
    public init() {}

    /// How long to wait before the next request.
    /// - Parameters:
    ///   - asked: what the server has said, if it has.
    ///   - failures: how many requests in a row have failed.
    ///   - spread: where it lies between its length and one and a half times that: from 0 to 1.
    func pause(_ asked: Duration?, after failures: Int, spread: Double) -> Duration {
        let most = max(allowedDelays.upperBound.waitable, .zero)
        var pause = min(max(asked ?? delay, allowedDelays.lowerBound, .zero), most)
        var left = failures
        while left > 0, pause < most {
            pause = min(max(pause, .milliseconds(1)) * 2, most)
            left -= 1
        }
        // What is added is never negative, and half a century at most.
        return pause + pause * (spread / 2)
    }

    /// Whether a failure is of the network, and so may pass.
    static func mayPass(_ error: SessionError) -> Bool {
        guard let failure = error.cause as? TransportFailure else { return error.code == .idleTimeout }
        return error.code == .transport && RetryPolicy().transportFailures.contains(failure.code)
    }
}
