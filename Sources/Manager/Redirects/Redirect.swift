// Which redirects are followed, with what method, body and fields: those that are credentials do not leave their origin. The list of
// them is `credentialFields` in Session/SessionConfiguration.

public import PatchbayPlatform
public import PatchbayRegistry

/// The one redirect policy, above all transports (RFC 9110, section 15.4).
///
/// Credentials go on a change of scheme, host or port and stay gone, and so does a `Host` field of the caller's own: it is a name
/// of the origin that was asked, under which transports also keep cookies. From `https` to `http` is refused.
struct Redirect {
    private static let contentFields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Trailer",
    ]

    /// The location to go to, or nil where the response is no redirect.
    static func location(_ status: Int, _ fields: HeaderFields) -> String? {
        switch status {
        case 301, 302, 303, 307, 308: fields["Location"]
        default: nil
        }
    }

    /// The request that follows `request` to the location that its response named. Its body is not at its first byte yet.
    static func next(
        after request: OutgoingRequest, status: Int, location: String, credentialFields: [String]
    ) throws(Refusal) -> OutgoingRequest {
        let target = try RequestTarget(location: location, from: request.url, masking: request.maskedPathSegments)
        let from = request.url
        guard from.scheme != "https" || target.url.scheme == "https" else {
            let shown = Redaction.quoted(target.url.absoluteString, named: request.maskedPathSegments)
            throw Refusal("it leads from https to http: \(shown)")
        }
        var next = request
        next.url = target.url
        next.host = target.host
        if from.scheme != target.url.scheme || request.host != target.host {
            for name in credentialFields { next.fields[name] = nil }
            next.fields["Host"] = nil
            next.hasLeftOrigin = true
        }
        if turnsIntoGet(status, request.method) {
            next.method = "GET"
            next.body = nil
            for name in contentFields { next.fields[name] = nil }
        }
        return next
    }

    /// The request that follows, as a handler changed it.
    static func next(
        after request: OutgoingRequest, _ head: ResponseHead, location: String, credentialFields: [String],
        _ handler: RedirectHandler
    ) throws(Refusal) -> OutgoingRequest {
        var next = try next(
            after: request, status: head.status, location: location, credentialFields: credentialFields)
        var changed = RedirectedRequest(next)
        let offeredHost = changed.fields["Host"]
        handler.change?(&changed, head)
        if changed.url != next.url {
            next = try Self.next(
                after: request, status: head.status, location: changed.url.absoluteString,
                credentialFields: credentialFields)
        }
        // A handler that knows only the first location cannot bring back what its own location has to lose.
        if next.hasLeftOrigin, !changed.sendsCredentials {
            for name in credentialFields { changed.fields[name] = nil }
        }
        // Nor send a name that was for the first location along to its own.
        if next.fields["Host"] == nil, changed.fields["Host"] == offeredHost { changed.fields["Host"] = nil }
        try RequestCheck.check(changed.fields)
        next.fields = changed.fields
        return next
    }

    private static func turnsIntoGet(_ status: Int, _ method: String) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }
}

/// What becomes of the redirects of a call, within the policy that all of them are under.
///
/// The policy always comes first: it refuses what leads from `https` to `http`, drops credentials and a `Host` field for good on a
/// change of origin, and counts. A response whose redirect is not followed is the response of the call, with its body.
///
/// Both closures may take their time, to ask a person for one: they are called on threads kept for that, a few at once, where they
/// may block. The idle timeout stands still meanwhile; the total one does not, and a call that is cancelled does not wait for them.
public struct RedirectHandler: Sendable {
    /// Whether a redirect is followed; the same for all where nobody `asks`.
    let follows: @Sendable (ResponseHead) -> Bool
    /// Whether `follows` is code of the caller's, which may take its time.
    let asks: Bool
    /// Nil where nothing is changed.
    let change: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)?

    /// - Parameters:
    ///   - follows: whether the redirect is followed; nil: each is. Asked when its head arrives.
    ///   - modify: changes the request that follows; nil: nothing does. Called when the response of the redirect is over.
    public init(
        follows: (@Sendable (ResponseHead) -> Bool)? = nil,
        modify: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)? = nil
    ) {
        self.init(follows ?? { _ in true }, asks: follows != nil, modify)
    }

    private init(
        _ follows: @escaping @Sendable (ResponseHead) -> Bool, asks: Bool,
        _ modify: (@Sendable (inout RedirectedRequest, ResponseHead) -> Void)?
    ) {
        (self.follows, self.asks, change) = (follows, asks, modify)
    }

    /// Follows every redirect, up to the limit of the configuration.
    public static let follow = RedirectHandler()
    /// Follows none: the response of the redirect is that of the call.
    public static let doNotFollow = RedirectHandler({ _ in false }, asks: false, nil)

    /// Follows every redirect with a changed request.
    public static func modify(
        _ change: @escaping @Sendable (inout RedirectedRequest, ResponseHead) -> Void
    ) -> RedirectHandler {
        RedirectHandler(modify: change)
    }
}

/// The request that follows a redirect, for a `RedirectHandler` to change.
public struct RedirectedRequest: Sendable {
    /// The method, which 303 and, after POST, 301 and 302 make a GET (RFC 9110, section 15.4).
    public let method: String
    /// Where the redirect leads. Another one is under the same policy as the server's own.
    public var url: URL
    /// The fields, without the credentials that the policy dropped, and without a `Host` of the caller's own where the origin is left.
    /// A `Host` that a handler sets is sent with this request and those that follow to the same origin.
    public var fields: HeaderFields
    /// Whether credentials among `fields` are sent even though a redirect to another origin has dropped those of the call.
    ///
    /// They are dropped again when the next redirect changes the origin.
    public var sendsCredentials = false
    private let maskedPathSegments: Set<String>

    /// A request that no redirect led to: for tests of what a handler does with it.
    public init(method: String = "GET", url: URL, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
        maskedPathSegments = []
    }

    init(_ request: OutgoingRequest) {
        maskedPathSegments = request.maskedPathSegments
        method = request.method
        url = request.url
        fields = request.fields
    }
}

extension RedirectedRequest: CustomStringConvertible, CustomReflectable {
    /// Method, URL and fields, without what may be a secret.
    public var description: String {
        "\(method) \(Redaction.masked(url.absoluteString, named: maskedPathSegments)) \(fields)"
    }
    public var customMirror: Mirror { Mirror(described: self) }
}
