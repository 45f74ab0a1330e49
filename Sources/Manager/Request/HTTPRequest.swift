public import PatchbayRegistry

/// One request as its sender describes it. What is nil is taken from the manager's configuration or the registry's policy.
public struct HTTPRequest: Sendable {
    /// The method, sent as written (RFC 9110, section 9.1: methods are case-sensitive).
    public var method: String
    /// An absolute URL, or a reference that is resolved against the manager's base URL.
    public var target: String
    /// Names and values that are percent-encoded and added to the target's query.
    public var query: [(name: String, value: String)]
    /// Fields of this request; each replaces the manager's field of the same name.
    public var headers: HeaderFields
    public var content: RequestContent?
    /// Which statuses are a success; nil: `policy.acceptableStatus`.
    public var acceptableStatus: StatusSet?
    /// The entry or serializer to use, without matching, for an acceptable status.
    public var using: LookupOverride.Using?
    /// Ids of entries to leave out.
    public var excluding: Set<String> = []
    /// How long no byte may move in either direction; nil: the configuration's.
    public var idleTimeout: Duration?
    /// How long the whole call may take, redirects, interceptors and retries included; nil: the configuration's.
    public var totalTimeout: Duration?
    /// A cap on the decoded body, in bytes, below the one that the registry gives.
    public var maximumBodyBytes: Int?
    /// False is short for the handler `doNotFollow`.
    public var followsRedirects = true
    /// What becomes of redirects; nil: the configuration's.
    public var redirectHandler: RedirectHandler?
    /// Asked after those of the configuration.
    public var interceptors: [any RequestInterceptor] = []

    public init(
        _ method: String = "GET", _ target: String, content: RequestContent? = nil,
        query: [(name: String, value: String)] = [], headers: HeaderFields = [:]
    ) {
        self.method = method
        self.target = target
        self.content = content
        self.query = query
        self.headers = headers
    }

    var lookupOverride: LookupOverride {
        guard using != nil || !excluding.isEmpty || acceptableStatus != nil else { return .none }
        return LookupOverride(using: using, excluding: excluding, acceptableStatus: acceptableStatus)
    }
}
