import PatchbayPlatform
package import PatchbayRegistry

/// Retries a call after a growing pause, if its failure can be temporary and the request can be repeated.
///
/// A request can be repeated if its method is idempotent, if it has a field `Idempotency-Key`
/// (draft-ietf-httpapi-idempotency-key-header) whose value is not empty, or if the host processed nothing of the
/// attempt: the name was not found, the connection was refused or not made in time, or the host refused the request
/// (`TransportFailure.Code.unprocessed`).
///
/// The pauses are spread at random, so that the clients of a failed server don't all send again at once. If the
/// response names a time for the next request (`Retry-After`: RFC 9110, section 10.2.3), no retry is sent before that
/// time. If that time is later than `maximumPause` allows, the call is not retried.
public struct RetryPolicy: RequestInterceptor, NeverSigningInterceptor {
    /// How often a call is retried, counting the retries of all interceptors.
    public var limit: Int
    /// The n-th pause, counted from 0, is at most `scale` times this number to the power of n.
    public var exponentialBase: Double
    /// The longest pause before the first retry. If it is not above zero, no retry has a pause.
    public var scale: Duration
    /// The methods that are retried: by default the idempotent methods (RFC 9110, section 9.2.2). POST and PATCH are
    /// not idempotent: when such a request was sent, it is not retried, whatever the status, because the server can
    /// already have processed it. Add these methods if your server allows such requests to be repeated.
    public var methods: Set<String>
    /// The statuses after which a call is retried.
    public var statuses: Set<Int>
    /// The failures of an exchange after which a call is retried.
    public var transportFailures: Set<TransportFailure.Code>
    /// Whether a call is retried after its idle timeout.
    public var retriesIdleTimeouts: Bool
    /// The load that retries are allowed to add to a host, as a share of the requests to that host. If nil, there is no
    /// limit.
    ///
    /// This is the retry budget of each host. In any 10 seconds, the calls of all managers that share this value retry at
    /// most this share of their requests to a host, rounded down; but as many retries as `limit` are always allowed, so
    /// that a program with few calls has them all. By default 0.2: a host that is down gets at most 1.2 times its usual
    /// load. A call beyond that fails with its last failure, whose sentence says that the budget was spent.
    ///
    /// A retry counts from the moment when it is decided. It no longer counts if it is not sent, because the call was
    /// cancelled, ran out of time, or has a body that cannot be sent twice.
    public var maximumExtraLoad: Double?
    /// The longest time for each attempt with its redirects and its body. When this time has passed, the attempt fails
    /// with code `attemptTimeout` and is retried like any other failure. If nil, only the timeouts of the call limit an
    /// attempt. Streams have no attempt timeout.
    public var attemptTimeout: Duration?
    /// Whether a pause has a random length between zero and its maximum (full jitter). If false, a pause always has its
    /// maximum.
    public var spreadsPauses: Bool
    /// Whether the call also waits for the time in `Retry-After`, in addition to the pause. The field has seconds, or a
    /// date, which is compared with the `Date` of the response or else with the clock of this machine. A date in the
    /// past and an unreadable value count as zero.
    public var obeysRetryAfter: Bool
    /// The longest pause. If `Retry-After` requires a longer pause, the call is not retried.
    public var maximumPause: Duration

    /// The random numbers that spread the pauses, and the seconds since 1970. Tests replace them.
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// The recent requests and retries of each host. Copies of the policy share this object.
    private let load = RetryLoad()

    /// Two retries, after up to 0.5 s and up to 1 s, except for the given settings.
    /// - Parameters:
    ///   - limit: how often a call is retried.
    ///   - exponentialBase: the factor from one pause to the next.
    ///   - scale: the longest pause before the first retry.
    ///   - methods: the methods that are retried.
    ///   - statuses: the statuses after which a call is retried.
    ///   - transportFailures: the failures of an exchange after which a call is retried.
    ///   - retriesIdleTimeouts: whether a call is retried after its idle timeout.
    ///   - maximumExtraLoad: the share of the requests to a host that can be retried; nil for no limit.
    ///   - attemptTimeout: the longest time for each attempt; nil for the timeouts of the call alone.
    ///   - spreadsPauses: whether a pause has a random length between zero and its maximum.
    ///   - obeysRetryAfter: whether the call also waits for the time in `Retry-After`.
    ///   - maximumPause: the longest pause.
    public init(
        limit: Int = 2, exponentialBase: Double = 2, scale: Duration = .milliseconds(500),
        methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"],
        statuses: Set<Int> = [408, 429, 500, 502, 503, 504],
        transportFailures: Set<TransportFailure.Code> = [
            .unresolvedHost, .refusedConnection, .connectTimeout, .tlsTimeout, .lostConnection, .unprocessed,
            .insecureConnection, .malformedResponse, .truncatedBody, .undecodableContent,
        ], retriesIdleTimeouts: Bool = true, maximumExtraLoad: Double? = 0.2, attemptTimeout: Duration? = nil,
        spreadsPauses: Bool = true, obeysRetryAfter: Bool = true, maximumPause: Duration = .seconds(30)
    ) {
        self.limit = limit
        self.exponentialBase = exponentialBase
        self.scale = scale
        self.methods = methods
        self.statuses = statuses
        self.transportFailures = transportFailures
        self.retriesIdleTimeouts = retriesIdleTimeouts
        self.maximumExtraLoad = maximumExtraLoad
        self.attemptTimeout = attemptTimeout
        self.spreadsPauses = spreadsPauses
        self.obeysRetryAfter = obeysRetryAfter
        self.maximumPause = maximumPause
    }

    public func retry(_ request: SessionRequest, after error: SessionError) async -> RetryDecision {
        guard error.retries < limit, canRepeat(request, error), mayPass(error) else { return .doNotRetry }
        let longest = Self.seconds(maximumPause)
        let wait = obeysRetryAfter ? RetryAfter.seconds(error.head?.fields, now: now) ?? 0 : 0
        guard wait <= longest else {
            error.facts.adaptation?.refuse("Retry-After asks for a longer pause than maximumPause")
            return .doNotRetry
        }
        if let share = maximumExtraLoad, let host = error.request.flatMap({ CanonicalHost(url: $0.url) }) {
            guard let second = load.takeRetry(of: host, share: share, atLeast: limit, at: now()) else {
                error.facts.adaptation?.refuse("the retry budget of \(host) was spent (maximumExtraLoad)")
                return .doNotRetry
            }
            error.facts.adaptation?.reserve(load, host, takenIn: second)
        }
        return .retryAfter(.seconds(min(wait + pause(before: error.retries, longest), longest)))
    }

    func count(_ host: CanonicalHost) { load.noteRequest(to: host, at: now()) }

    private func canRepeat(_ request: SessionRequest, _ error: SessionError) -> Bool {
        if methods.contains(request.method) || Self.hasIdempotencyKey(request.headers) { return true }
        // If a redirect was followed, a request of the attempt was sent.
        guard error.facts.hops.isEmpty, error.head == nil, let failure = error.cause as? TransportFailure else {
            return false
        }
        return Self.unprocessed.contains(failure.code)
    }

    private static let idempotentMethods: Set = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]

    private static func hasIdempotencyKey(_ fields: HeaderFields) -> Bool {
        fields["Idempotency-Key"]?.contains(where: { !$0.isWhitespace }) == true
    }

    /// Whether a host may get the request twice, whatever the settings of a policy.
    package static func isIdempotent(_ method: String, _ fields: HeaderFields) -> Bool {
        idempotentMethods.contains(method) || hasIdempotencyKey(fields)
    }

    /// The failures of which the host has processed nothing.
    private static let unprocessed: Set<TransportFailure.Code> = [
        .unresolvedHost, .refusedConnection, .connectTimeout, .tlsTimeout, .unprocessed,
    ]

    private func mayPass(_ error: SessionError) -> Bool {
        if let status = error.head?.status, statuses.contains(status) { return true }
        if error.code == .attemptTimeout { return true }
        if error.code == .idleTimeout { return retriesIdleTimeouts }
        guard let failure = error.cause as? TransportFailure else { return false }
        return transportFailures.contains(failure.code)
    }

    /// A duration in seconds, limited to a number that a duration can hold.
    private static func seconds(_ duration: Duration) -> Double { min(duration.waitable / .seconds(1), 1e9) }

    /// The pause in seconds; 0 if the settings give no number above 0.
    private func pause(before retry: Int, _ longest: Double) -> Double {
        var seconds = Self.seconds(scale)
        for _ in 0..<max(retry, 0) { seconds *= exponentialBase }
        guard seconds > 0, longest > 0 else { return 0 }
        let most = min(seconds, longest)
        return spreadsPauses ? random(0...most) : most
    }
}

/// The field `Retry-After`: when a server wants the next request (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The delay in seconds: 0 for a date in the past, the longest of several fields. Nil if no field can be read.
    ///
    /// - Parameter now: the seconds since 1970, for a date in a response without a `Date` field.
    static func seconds(_ fields: HeaderFields?, now: () -> Double) -> Double? {
        guard let fields else { return nil }
        return fields.values(for: "Retry-After").compactMap { value -> Double? in
            if let seconds = seconds(value) { return seconds }
            guard let date = HTTPDate.secondsOfAnyForm(value, now: now) else { return nil }
            // The clock of the server and the clock of this machine can differ.
            let sent = fields["Date"].flatMap { HTTPDate.secondsOfAnyForm($0, now: now) }
            return max(Double(date) - (sent.map(Double.init) ?? now()), 0)
        }.max()
    }

    /// Accepts any number of digits: a number that is too large for any type means "never".
    private static func seconds(_ value: String) -> Double? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(value)
    }
}
