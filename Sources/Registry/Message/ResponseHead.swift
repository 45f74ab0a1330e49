public import PatchbayPlatform

/// Everything about a response that is known before its body. Copying it costs one reference.
public struct ResponseHead: Sendable {
    /// The values, in one block of memory, because every stage of a call hands the head on.
    private final class Storage: Sendable {
        let status: Int
        let fields: HeaderFields
        let url: URL
        let host: CanonicalHost?
        let contentType: ContentType
        let request: RequestHead

        init(_ status: Int, _ fields: HeaderFields, _ url: URL, _ host: CanonicalHost?, _ request: RequestHead) {
            self.status = status
            self.fields = fields
            self.url = url
            self.host = host
            self.contentType = ContentType(fields)
            self.request = request
        }
    }

    private let storage: Storage

    /// For transports and tests: what a server sent, and what it was sent for.
    public init(status: Int, fields: HeaderFields, url: URL, request: RequestHead) {
        self.init(status: status, fields: fields, url: url, host: CanonicalHost(url: url), request: request)
    }

    /// For a caller that knows the canonical host of `url` already.
    package init(status: Int, fields: HeaderFields, url: URL, host: CanonicalHost?, request: RequestHead) {
        storage = Storage(status, fields, url, host, request)
    }

    /// The status code, 100 to 999 as received.
    public var status: Int { storage.status }
    /// The header fields, in the order they came.
    public var fields: HeaderFields { storage.fields }
    /// The URL that answered, after redirects.
    public var url: URL { storage.url }
    /// The canonical host and port of `url`; nil where it has none.
    public var host: CanonicalHost? { storage.host }
    /// What the Content-Type fields say, by the WHATWG rules.
    public var contentType: ContentType { storage.contentType }
    /// The request that this response answers.
    public var request: RequestHead { storage.request }

    /// Whether a body can follow the head.
    package var canHaveBody: Bool { Self.canHaveBody(status, to: request.method) }

    /// Whether a body can follow a head of this status to a request of this method, whatever length the head names (RFC 9110,
    /// section 6.4.1, and RFC 9112, section 6.3).
    package static func canHaveBody(_ status: Int, to method: String) -> Bool {
        status >= 200 && status != 204 && status != 304 && method != "HEAD"
    }

    /// The parsed media type, or nil where Content-Type is missing or invalid.
    public var mediaType: MediaType? { contentType.mediaType }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// Status, URL and fields, without what may be a secret: `200 http://example.com/a [Content-Length: 12]`.
    public var description: String { "\(status) \(maskedURL) \(fields)" }
    public var customMirror: Mirror {
        Mirror(
            self, children: ["status": status, "url": maskedURL, "fields": fields, "request": request],
            displayStyle: .struct)
    }

    private var maskedURL: String { Redaction.masked(url.absoluteString, named: request.maskedPathSegments) }
}
