public import PatchbayRegistry

/// The settings of a session manager, with every default in sight.
public struct SessionConfiguration: Sendable {
    /// Fields of every request; a request's own field of the same name replaces them. The credentials among them go where
    /// `credentialHosts` says.
    public var headers = HeaderFields.standard
    /// What another module of the package adds to every request.
    package var requestAddition: (any RequestAddition)?
    /// How long no byte may move in either direction, those of an unfinished head not counted; nil: no limit. It stands still while
    /// a disk or a redirect handler is waited for: a disk that never answers is for the total timeout, or `cancel()`. An exchange that a
    /// limit of the transport allows no connection yet waits as long for one, and is idle from then on.
    public var idleTimeout: Duration? = .seconds(60)
    /// How long a call may take, redirects, interceptors and retries included, from its start to the last byte; nil: no limit.
    public var totalTimeout: Duration? = .seconds(60)
    /// How many bytes of a stream may wait to be read, decoded of their content coding; then the sender has to.
    public var maximumWaitingStreamBytes = 1 << 20
    /// The label of every task to begin with.
    public var taskLabel: String?
    /// Who may change requests and have calls tried again; asked before those of the request.
    public var interceptors: [any RequestInterceptor] = []
    /// Decides which redirects are followed, unless the request has a handler of its own.
    public var redirects = RedirectHandler.follow
    /// Who hears of every stage of every call.
    public var observers: [any SessionObserver] = []
    /// How many events may wait for the observers, at least one; then the oldest are dropped, and `SessionEvent.missed` counts
    /// them. An event holds its task, and the task its request with the content that it sends.
    public var maximumWaitingEvents = 4_096
    /// The jar that keeps cookies between requests; nil: none are sent or kept. Managers with the same jar share their cookies.
    public var cookies: CookieJar?
    /// How the connections to all hosts are made that no pattern of `connectionByHost` matches.
    public var connection = ConnectionSettings()
    /// How the connections to the hosts of a pattern are made: of several patterns that match a host, the most specific counts. Its
    /// settings replace `connection` whole. After a redirect, the host that it leads to counts.
    public var connectionByHost: [HostPattern: ConnectionSettings] = [:]
    /// How many redirects are followed before the call fails.
    public var maximumRedirects = 10
    /// The fields that are dropped, for good, when a redirect changes scheme, host or port. Those of the manager go to the origin of
    /// its base URL and to `credentialHosts` alone.
    public var credentialFields = ["Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token"]
    /// The hosts, beside the origin of the base URL, to which the manager's `credentialFields` go, and what an
    /// `AuthenticationInterceptor` puts on: over https; over http only where the base URL is http or the host is loopback.
    ///
    /// Where there is neither a base URL nor a host here, the fields go everywhere, and an `AuthenticationInterceptor` needs `hosts:`.
    /// Fields that a request sets itself go to its URL.
    public var credentialHosts: [HostPattern] = []

    /// Segments of paths that are not shown in errors and other descriptions of what is sent, in addition to those that look like
    /// tokens: `abc` is the segment `abc`, and `abc/` the one behind a segment `abc`, whatever it is.
    public var maskedPathSegments: Set<String> = []

    /// What writes the files of downloads; another one in tests.
    var fileCalls = FileCalls.system
    /// How many bytes of a download may wait to be written; fewer in tests.
    var fileQueueLimit = FileSink.queueLimit
    /// How long a call that has ended waits for its file; less in tests.
    var filePatience = FileSink.Patience()
    /// How the delay before another try is waited for; another one in tests.
    var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(forGiven: $0) }
    /// From 0 to 1: how the waits of streams are spread.
    var random: @Sendable () -> Double = { .random(in: 0...1) }

    /// The defaults, each of which is visible here.
    public init() {}
}
