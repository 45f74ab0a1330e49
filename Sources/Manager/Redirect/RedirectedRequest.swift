public import PatchbayPlatform
public import PatchbayRegistry

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
