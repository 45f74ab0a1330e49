#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Everything about a response that is known before its body.
public struct ResponseHead: Sendable {
    /// The status code, 100 to 999 as received.
    public let status: Int
    public let fields: HeaderFields
    /// The URL that answered, after redirects.
    public let url: URL
    /// The canonical host and port of `url`; nil where it has none.
    public let host: CanonicalHost?
    /// What the Content-Type fields say, by the WHATWG rules.
    public let contentType: ContentType
    /// The request that this response answers.
    public let request: RequestHead

    public init(status: Int, fields: HeaderFields, url: URL, request: RequestHead) {
        self.init(status: status, fields: fields, url: url, host: CanonicalHost(url: url), request: request)
    }

    /// For a caller that knows the canonical host of `url` already.
    package init(status: Int, fields: HeaderFields, url: URL, host: CanonicalHost?, request: RequestHead) {
        self.status = status
        self.fields = fields
        self.url = url
        self.host = host
        self.contentType = ContentType(fields)
        self.request = request
    }

    /// The parsed media type, or nil where Content-Type is missing or invalid.
    public var mediaType: MediaType? { contentType.mediaType }
}
