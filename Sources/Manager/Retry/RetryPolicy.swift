import PatchbayPlatform
import PatchbayRegistry

/// Tries a call again, after a pause that grows, where its failure may pass and its method may be repeated.
///
/// The pauses are spread at random, so that the clients of a server that failed do not all come back at once. Where the response
/// says when to come back (`Retry-After`: RFC 9110, section 10.2.3), no call comes sooner; where that is later than
/// `maximumPause` allows, the call is not tried again.
public struct RetryPolicy: RequestInterceptor, NeverSigningInterceptor {
    /// How often a call is tried again, by whichever interceptor.
    public var limit = 2
    /// The n-th pause, counted from 0, is at most `scale` times this to the power of n.
    public var exponentialBase = 2.0
    /// In seconds.
    public var scale = 0.5
    /// The methods that are idempotent (RFC 9110, section 9.2.2). POST and PATCH are not, and so are never tried again, whatever the
    /// status: nobody knows what the server has done by then. Add them where yours can be repeated.
    public var methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]
    /// The statuses with which a call is tried again.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The failures of an exchange after which a call is tried again.
    public var transportFailures: Set<TransportFailure.Code> = [
        .unresolvedHost, .refusedConnection, .lostConnection, .insecureConnection, .malformedResponse, .truncatedBody,
        .undecodableContent,
    ]
    /// Whether a call that was idle for too long is tried again.
    public var retriesIdleTimeouts = true
    /// Whether a pause has any length from nothing to what it may be (full jitter); false: always what it may be.
    public var spreadsPauses = true
    /// Whether the server's word counts: seconds, or a date, which is taken against the `Date` of the same response, or else our
    /// clock. The pause follows after that; one that is over, or cannot be read, is none.
    public var obeysRetryAfter = true
    /// No pause is longer, whoever asks for it.
    public var maximumPause: Duration = .seconds(30)

    /// What spreads the pauses, and the seconds since 1970; others in tests.
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    /// Two more tries, after up to 0.5 s and up to 1 s.
    public init() {}

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        guard error.retries < limit, methods.contains(request.method), mayPass(error) else { return .doNotRetry }
        let longest = longestPause
        let wait = obeysRetryAfter ? RetryAfter.seconds(error.head?.fields, now: now) ?? 0 : 0
        guard wait <= longest else { return .doNotRetry }
        return .retryAfter(.seconds(min(wait + pause(before: error.retries, longest), longest)))
    }

    private func mayPass(_ error: SessionError) -> Bool {
        if let status = error.head?.status, statuses.contains(status) { return true }
        if error.code == .idleTimeout { return retriesIdleTimeouts }
        guard let failure = error.cause as? TransportFailure else { return false }
        return transportFailures.contains(failure.code)
    }

    /// In seconds; no more than a duration can hold, whatever a server asks for.
    private var longestPause: Double {
        let (seconds, attoseconds) = maximumPause.waitable.components
        return min(Double(seconds) + Double(attoseconds) * 1e-18, 1e9)
    }

    /// In seconds; none where the settings make no number above 0.
    private func pause(before retry: Int, _ longest: Double) -> Double {
        var seconds = scale
        for _ in 0..<max(retry, 0) { seconds *= exponentialBase }
        guard seconds > 0, longest > 0 else { return 0 }
        let most = min(seconds, longest)
        return spreadsPauses ? random(0...most) : most
    }
}

/// When a server wants to be asked again (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// In how many seconds, 0 for a date that is over; of several fields the latest. Nil where none can be read.
    ///
    /// - Parameter now: the seconds since 1970, asked where there is a date and the response does not say when it was sent.
    static func seconds(_ fields: HeaderFields?, now: () -> Double) -> Double? {
        guard let fields else { return nil }
        return fields.values(for: "Retry-After").compactMap { value -> Double? in
            if let seconds = seconds(value) { return seconds }
            guard let date = HTTPDate.secondsOfAnyForm(value, now: now) else { return nil }
            // Its own clock and ours may differ.
            let sent = fields["Date"].flatMap { HTTPDate.secondsOfAnyForm($0, now: now) }
            return max(Double(date) - (sent.map(Double.init) ?? now()), 0)
        }.max()
    }

    /// However many digits there are: a number that is too large for any type is as good as for ever.
    private static func seconds(_ value: String) -> Double? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(value)
    }
}
