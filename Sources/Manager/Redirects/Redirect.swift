// The policy for redirects: which redirects are followed, and with which method, body and fields. Credentials do not
// leave their origin; `credentialFields` in Session/SessionConfiguration lists their fields.

import PatchbayPlatform
public import PatchbayRegistry

/// The redirect policy for all transports (RFC 9110, section 15.4).
///
/// A change of scheme, host or port drops credentials permanently. It also drops a `Host` field of the caller, because
/// that field names the first origin, and cookies are kept under that name. A redirect from `https` to `http` is
/// refused, and so is a redirect to a host that is reached over a Unix socket, unless the redirect came over one.
struct Redirect {
    /// Whether a field describes the content of a request, so that it goes with the content (RFC 9110, section 15.4, step
    /// 5): every `Content-` field (sections 8.3 to 8.7 and 14.4; RFC 9530, section 2), and the others that speak of the
    /// content, its transfer or its representation.
    static func describesContent(_ name: String) -> Bool {
        HeaderFields.matches(String(name.prefix(8)), "Content-") || otherContentFields.haveField(name)
    }

    private static let otherContentFields = [
        // RFC 9110, sections 10.1.1, 6.6.2 and 8.8.2, and RFC 9112, section 6.1.
        "Expect", "Trailer", "Last-Modified", "Transfer-Encoding",
        // RFC 9530, section 3, and RFC 3230, which it replaces.
        "Repr-Digest", "Digest",
    ]

    /// The location of a redirect; nil for other responses.
    static func location(_ status: Int, _ fields: HeaderFields) -> String? {
        switch status {
        case 301, 302, 303, 307, 308: fields["Location"]
        default: nil
        }
    }

    /// Returns the request for the location. The body of that request must still be rewound.
    /// - Parameter connections: the settings that say which hosts are reached over a Unix socket.
    static func next(
        after request: OutgoingRequest, status: Int, location: String, over connections: ConnectionTable
    ) throws(Refusal) -> OutgoingRequest {
        let target = try RequestTarget(location: location, from: request.url, masking: request.maskedPathSegments)
        let from = request.url
        guard from.scheme != "https" || target.url.scheme == "https" else {
            let shown = Redaction.quoted(target.url.absoluteString, named: request.maskedPathSegments)
            throw Refusal("it leads from https to http: \(shown)")
        }
        // Who may connect to the socket is decided on this system: a server in the network must not borrow this right.
        guard
            connections.connection(to: target.host).settings.unixSocket == nil
                || connections.connection(to: request.host).settings.unixSocket != nil
        else { throw Refusal("it leads from the network to the Unix socket of \(target.host)") }
        var next = request
        next.url = target.url
        next.host = target.host
        next.template = nil
        if from.scheme != target.url.scheme || request.host != target.host {
            for name in request.credentialFields { next.fields[name] = nil }
            next.fields["Host"] = nil
            next.hasLeftOrigin = true
        }
        if turnsIntoGet(status, request.method) {
            next.method = "GET"
            next.body = nil
            next.fields = HeaderFields(next.fields.filter { !describesContent($0.name) })
        }
        return next
    }

    /// Returns the request for the location, changed by a handler; nil if the handler does not follow the redirect.
    static func next(
        after request: OutgoingRequest, _ head: ResponseHead, location: String, over connections: ConnectionTable,
        asking decide: RedirectHandler.Decide
    ) throws(Refusal) -> OutgoingRequest? {
        var next = try next(after: request, status: head.status, location: location, over: connections)
        var offered = RequestHead(method: next.method, url: next.url, fields: next.fields)
        offered.maskedPathSegments = request.maskedPathSegments
        var changed = offered
        guard decide(&changed, head) else { return nil }
        if changed.url != offered.url {
            let location = changed.url.absoluteString
            next = try Self.next(after: request, status: head.status, location: location, over: connections)
        }
        let isChanged = { changed.fields.values(for: $0) != offered.fields.values(for: $0) }
        // A field that the handler did not change belongs to the offered location.
        for name in request.credentialFields + ["Host"] where next.fields[name] == nil && !isChanged(name) {
            changed.fields[name] = nil
        }
        if changed.method != offered.method {
            try RequestCheck.check(method: changed.method)
            if changed.method == request.method { next.body = request.body }
            if ["GET", "HEAD"].contains(changed.method) { next.body = nil }
            let isOffered = { describesContent($0) && !isChanged($0) }
            var fields = changed.fields.filter { !isOffered($0.name) }
            if next.body != nil {
                let dropped = next.hasLeftOrigin ? request.credentialFields : []
                fields += request.fields.filter { isOffered($0.name) && !dropped.haveField($0.name) }
            }
            changed.fields = HeaderFields(fields)
            next.method = changed.method
        }
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

/// Decides whether a redirect is followed, and changes the request that follows, within the policy for all redirects.
///
///     var request = SessionRequest("start")
///     request.redirects = RedirectHandler { next, head in
///         next.fields["X-Hop"] = "\(head.status)"
///         return next.url.host() == "api.example.com"
///     }
///
/// The policy is always applied first: it refuses a redirect from `https` to `http`, and from the network to a host that
/// is reached over a Unix socket. It permanently drops credentials and a `Host` field on a change of origin, and limits
/// the number of redirects. It turns a POST into a GET after 301 and
/// 302, and any method but HEAD after 303 (RFC 9110, section 15.4). Such a GET has no content, and none of the fields that
/// describe content, such as `Content-Digest` or `Expect`. If a redirect is not followed, its response is the response of
/// the call, with its body.
///
/// The closure gets the request that the policy allows. The closure is allowed to change:
///
/// - `url`: the policy applies to the new location as well.
/// - `fields`: a credential or a `Host` that the closure sets is sent with this request and with later requests to the
///   same origin.
/// - `method`: if the closure restores the original method, the content is sent again. GET and HEAD send no content.
///
/// The closure is called when the head of the redirect has arrived, on a thread that is allowed to block. So the
/// closure can take a long time, for example to ask the user. Only a few such closures run at once. While the closure
/// runs, the idle timeout stops, but the total timeout continues. A cancelled call does not wait for the closure.
public struct RedirectHandler: Sendable {
    typealias Decide = @Sendable (_ next: inout RequestHead, _ head: ResponseHead) -> Bool

    enum Rule: Sendable {
        case follow
        case doNotFollow
        case ask(Decide)
    }

    let rule: Rule

    /// - Parameter decide: changes the request for the location, and returns whether that request is sent.
    public init(_ decide: @escaping @Sendable (_ next: inout RequestHead, _ head: ResponseHead) -> Bool) {
        rule = .ask(decide)
    }

    private init(_ rule: Rule) { self.rule = rule }

    /// Follows every redirect, up to the limit of the configuration.
    public static let follow = RedirectHandler(.follow)
    /// Follows no redirect: the response of a redirect is the response of the call.
    public static let doNotFollow = RedirectHandler(.doNotFollow)
}
