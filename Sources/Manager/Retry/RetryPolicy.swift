import PatchbayPlatform
import PatchbayRegistry

/// Retries a call after a growing pause, if its failure may be temporary and its method may be repeated.
///
/// The pauses are spread at random, so that the clients of a failed server don't all come back at once. If the response
/// says when to come back (`Retry-After`: RFC 9110, section 10.2.3), no call comes back sooner. If that is later than
/// `maximumPause` allows, the call is not retried.
public struct RetryPolicy: RequestInterceptor, NeverSigningInterceptor {
    /// How often a call is retried, counting the retries of all interceptors.
    public var limit = 2
    /// The n-th pause, counted from 0, is at most `scale` times this to the power of n.
    public var exponentialBase = 2.0
    /// The longest pause before the first retry, in seconds.
    public var scale = 0.5
    /// The methods that are retried: by default those that are idempotent (RFC 9110, section 9.2.2). POST and PATCH are
    /// not idempotent. They are never retried, whatever the status, because the server may have acted already. Add them
    /// if your server allows them to be repeated.
    public var methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]
    /// The statuses after which a call is retried.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The failures of an exchange after which a call is retried.
    public var transportFailures: Set<TransportFailure.Code> = [
        .unresolvedHost, .refusedConnection, .connectTimeout, .tlsTimeout, .lostConnection, .insecureConnection,
        .malformedResponse, .truncatedBody, .undecodableContent,
    ]
    /// Whether a call is retried after its idle timeout.
    public var retriesIdleTimeouts = true
    /// Whether a pause has a random length between zero and its maximum (full jitter); false: always the maximum.
    public var spreadsPauses = true
    /// Whether `Retry-After` counts: seconds, or a date, which is compared with the `Date` of the same response or else
    /// with our clock. The pause is added to it. A date in the past and an unreadable value count as zero.
    public var obeysRetryAfter = true
    /// The longest pause, whoever asks for it.
    public var maximumPause: Duration = .seconds(30)

    /// The random numbers that spread the pauses, and the seconds since 1970. Tests replace them.
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    /// Two retries, after up to 0.5 s and up to 1 s.
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

    /// In seconds, and never more than a duration can hold, whatever a server asks for.
    private var longestPause: Double {
        let (seconds, attoseconds) = maximumPause.waitable.components
        return min(Double(seconds) + Double(attoseconds) * 1e-18, 1e9)
    }

    /// In seconds; 0 if the settings give no number above 0.
    private func pause(before retry: Int, _ longest: Double) -> Double {
        var seconds = scale
        for _ in 0..<max(retry, 0) { seconds *= exponentialBase }
        guard seconds > 0, longest > 0 else { return 0 }
        let most = min(seconds, longest)
        return spreadsPauses ? random(0...most) : most
    }
}

/// The field `Retry-After`: when a server wants the next request (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The delay in seconds: 0 for a date in the past, the longest of several fields. Nil if none can be read.
    ///
    /// - Parameter now: the seconds since 1970, for a date in a response that does not say when it was sent.
    static func seconds(_ fields: HeaderFields?, now: () -> Double) -> Double? {
        guard let fields else { return nil }
        return fields.values(for: "Retry-After").compactMap { value -> Double? in
            if let seconds = seconds(value) { return seconds }
            guard let date = HTTPDate.secondsOfAnyForm(value, now: now) else { return nil }
            // The clock of the server and ours may differ.
            let sent = fields["Date"].flatMap { HTTPDate.secondsOfAnyForm($0, now: now) }
            return max(Double(date) - (sent.map(Double.init) ?? now()), 0)
        }.max()
    }

    /// Takes any number of digits: a number that is too large for any type means "never".
    private static func seconds(_ value: String) -> Double? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(value)
    }
}
