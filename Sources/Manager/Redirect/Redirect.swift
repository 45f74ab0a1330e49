import PatchbayPlatform
import PatchbayRegistry

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
        let target = try RequestTarget(location: location, from: request.url)
        let from = request.url
        guard from.scheme != "https" || target.url.scheme == "https" else {
            throw Refusal("it leads from https to http")
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
