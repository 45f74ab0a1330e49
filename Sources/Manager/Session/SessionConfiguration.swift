public import PatchbayRegistry

/// The settings of a session manager, with their default values.
public struct SessionConfiguration: Sendable {
    /// Fields of every request. A request's own field of the same name replaces them. The credentials among these
    /// fields are sent only to the hosts that `credentialHosts` allows.
    public var headers: HeaderFields
    /// Prepares every request that has no hook of its own.
    package var hook: (any CallHook)?
    /// The longest time without a byte in either direction. If nil, there is no limit. Bytes of an unfinished head
    /// don't count. The idle timeout stops while the call waits for a disk or a redirect handler: only the total
    /// timeout or `cancel()` ends a call whose disk never answers. If a limit of the transport allows no connection
    /// yet, the exchange waits at most the idle timeout for a connection. The timeout starts again when there is a
    /// connection. It is also the longest time for the whole body of an error, and of a redirect that is followed.
    public var idleTimeout: Duration?
    /// The longest time of a call, from its start to the last byte, including redirects, interceptors and retries. If
    /// nil, there is no limit. The timeout doesn't apply to uploads, downloads and streams, unless the request sets its
    /// own total timeout.
    public var totalTimeout: Duration?
    /// The number of bytes of a stream that can wait to be read, after content decoding. When that number is reached,
    /// the sender must wait.
    public var maximumWaitingStreamBytes: Int
    /// The initial label of every task.
    public var taskLabel: String?
    /// Interceptors that can change requests and retry calls. They are called before the interceptors of the request.
    public var interceptors: [any RequestInterceptor]
    /// Decides which redirects are followed, unless the request has a handler of its own.
    public var redirects: RedirectHandler
    /// The observers of every stage of every call.
    public var observers: [any SessionObserver]
    /// The number of events that can wait for the observers, at least 1. When that number is reached, the oldest events
    /// are dropped, and `SessionEvent.missed` counts them. An event holds its task, and the task holds its request with
    /// the content that it sends.
    public var maximumWaitingEvents: Int
    /// The jar that keeps cookies between requests. If nil, cookies are neither sent nor kept. Managers with the same
    /// jar share their cookies.
    public var cookies: CookieJar?
    /// Keeps responses, and answers requests with them. If nil, every request is sent.
    public var cache: ResponseCache?
    /// The connection settings for all hosts that match no pattern of `connectionByHost`.
    public var connection: ConnectionSettings
    /// The connection settings for the hosts that match a pattern. If several patterns match a host, the most specific
    /// pattern is used. Its settings replace `connection` as a whole. After a redirect, the settings are those for the
    /// new host.
    public var connectionByHost: [HostPattern: ConnectionSettings]
    /// How many redirects are followed before the call fails.
    public var maximumRedirects: Int
    /// The fields that are permanently dropped when a redirect changes scheme, host or port. If the manager sets such
    /// fields, they go only to the origin of its base URL and to `credentialHosts`.
    public var credentialFields: [String]
    /// The hosts, in addition to the origin of the base URL, that get the manager's `credentialFields` and the
    /// credentials of an `AuthenticationInterceptor`: over https, and over http only if the base URL is http or the
    /// host is loopback.
    ///
    /// If there is neither a base URL nor a host in this array, the fields are sent to every host, and an
    /// `AuthenticationInterceptor` needs `hosts:`. Fields that a request sets itself go to its URL.
    public var credentialHosts: [HostPattern]

    /// Path segments to hide in errors and other descriptions of sent requests, in addition to segments that look like
    /// tokens: `abc` hides the segment `abc`, and `abc/` hides the segment after a segment `abc`, whatever it is.
    public var maskedPathSegments: Set<String>

    /// Writes the files of downloads; tests replace it.
    var fileCalls = FileCalls.system
    /// The number of bytes of a download that can wait to be written; tests set fewer.
    var fileQueueLimit = FileBody.queueLimit
    /// Waits for the delay before another attempt; tests replace it.
    var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(forGiven: $0) }
    /// A random number from 0 to 1, which spreads the delays of streams before they reconnect.
    var random: @Sendable () -> Double = { .random(in: 0...1) }

    /// The default settings, except for the given settings.
    /// - Parameters:
    ///   - headers: fields of every request.
    ///   - idleTimeout: the longest time without a byte in either direction; nil for no limit.
    ///   - totalTimeout: the longest time of a call; nil for no limit.
    ///   - maximumWaitingStreamBytes: the number of bytes of a stream that can wait to be read.
    ///   - taskLabel: the initial label of every task.
    ///   - interceptors: the interceptors of every request, called in this order.
    ///   - redirects: decides which redirects are followed.
    ///   - observers: the observers of every stage of every call.
    ///   - maximumWaitingEvents: the number of events that can wait for the observers.
    ///   - cookies: the jar of the cookies; nil to neither send nor keep cookies.
    ///   - cache: keeps responses; nil to send every request.
    ///   - connection: the connection settings for the hosts that match no pattern of `connectionByHost`.
    ///   - connectionByHost: the connection settings for the hosts that match a pattern.
    ///   - maximumRedirects: how many redirects are followed before the call fails.
    ///   - credentialFields: the fields that a redirect to another origin drops.
    ///   - credentialHosts: the hosts that get the manager's credentials, in addition to the origin of the base URL.
    ///   - maskedPathSegments: the path segments that descriptions hide.
    public init(
        headers: HeaderFields = HeaderFields.standard, idleTimeout: Duration? = .seconds(60),
        totalTimeout: Duration? = .seconds(60), maximumWaitingStreamBytes: Int = 1 << 20, taskLabel: String? = nil,
        interceptors: [any RequestInterceptor] = [], redirects: RedirectHandler = RedirectHandler.follow,
        observers: [any SessionObserver] = [], maximumWaitingEvents: Int = 4_096, cookies: CookieJar? = nil,
        cache: ResponseCache? = nil, connection: ConnectionSettings = ConnectionSettings(),
        connectionByHost: [HostPattern: ConnectionSettings] = [:], maximumRedirects: Int = 10,
        credentialFields: [String] = ["Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token"],
        credentialHosts: [HostPattern] = [], maskedPathSegments: Set<String> = []
    ) {
        self.headers = headers
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.maximumWaitingStreamBytes = maximumWaitingStreamBytes
        self.taskLabel = taskLabel
        self.interceptors = interceptors
        self.redirects = redirects
        self.observers = observers
        self.maximumWaitingEvents = maximumWaitingEvents
        self.cookies = cookies
        self.cache = cache
        self.connection = connection
        self.connectionByHost = connectionByHost
        self.maximumRedirects = maximumRedirects
        self.credentialFields = credentialFields
        self.credentialHosts = credentialHosts
        self.maskedPathSegments = maskedPathSegments
    }
}
