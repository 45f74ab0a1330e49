// The terms of HTTP (RFC 9110) as values: heads, fields, bodies, media types and ranges, statuses, hosts, dates. The
// parser of each type is in the same folder. It reads bytes from outside, returns a value or a reason, and never traps.

public import PatchbayPlatform

/// The part of a response that comes before its body. A copy only copies a reference.
public struct ResponseHead: Sendable {
    /// The values in one block of memory, because every step of a call passes the head on.
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

    /// Creates a head, for transports and tests.
    public init(status: Int, fields: HeaderFields, url: URL, request: RequestHead) {
        self.init(status: status, fields: fields, url: url, host: CanonicalHost(url: url), request: request)
    }

    /// Creates a head for a caller that knows the canonical host of `url`.
    package init(status: Int, fields: HeaderFields, url: URL, host: CanonicalHost?, request: RequestHead) {
        storage = Storage(status, fields, url, host, request)
    }

    /// The status code, 100 to 999 as received.
    public var status: Int { storage.status }
    /// The header fields, in the order received.
    public var fields: HeaderFields { storage.fields }
    /// The URL of the response, after redirects.
    public var url: URL { storage.url }
    /// The canonical host and port of `url`; nil if the URL has no host.
    package var host: CanonicalHost? { storage.host }
    /// The media type of the Content-Type fields by the WHATWG rules, or the case that it is missing or invalid.
    package var contentType: ContentType { storage.contentType }
    /// The request that this response answers.
    public var request: RequestHead { storage.request }

    package var canHaveBody: Bool { Self.canHaveBody(status, to: request.method) }

    /// Whether a body can follow this status for a request with this method, whatever the announced length (RFC 9110,
    /// section 6.4.1, and RFC 9112, section 6.3).
    package static func canHaveBody(_ status: Int, to method: String) -> Bool {
        status >= 200 && status != 204 && status != 304 && method != "HEAD"
    }

    /// The media type; nil if Content-Type is missing or invalid.
    public var mediaType: MediaType? { contentType.mediaType }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// Status, URL and fields, without possible secrets: `200 http://example.com/a [Content-Length: 12]`.
    public var description: String { "\(status) \(maskedURL) \(fields)" }
    public var customMirror: Mirror {
        Mirror(
            self, children: ["status": status, "url": maskedURL, "fields": fields, "request": request],
            displayStyle: .struct)
    }

    /// The URL with secrets masked.
    package var maskedURL: String { Redaction.masked(url.absoluteString, named: request.maskedPathSegments) }
}

/// The method, the URL and the header fields of a request, without its body.
public struct RequestHead: Sendable, Hashable {
    /// The method, upper case by convention and compared exactly (RFC 9110, section 9.1).
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// The header fields, before the transport adds its own fields.
    public var fields: HeaderFields
    /// The path segments that the configuration keeps out of descriptions.
    package var maskedPathSegments: Set<String> = []

    /// The method is a token, and its case matters (RFC 9110, section 9.1).
    public init(method: String = "GET", url: URL, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

extension RequestHead {
    /// The target of the request in an error message: host, port and path; nil for a URL without a host.
    package var place: String? { Redaction.place(url, named: maskedPathSegments) }

    /// The URL with secrets masked.
    package var maskedURL: String { Redaction.masked(url.absoluteString, named: maskedPathSegments) }

    // `maskedPathSegments` is not sent, so it is not compared.
    public static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.url == right.url && left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(fields)
    }
}

extension RequestHead: CustomStringConvertible, CustomReflectable {
    /// Method, URL and fields, without possible secrets: `GET http://example.com/a?page=*** [Cookie: <9 bytes>]`.
    public var description: String { "\(method) \(maskedURL) \(fields)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": maskedURL, "fields": fields], displayStyle: .struct)
    }
}

/// One part of a multipart body (RFC 2046, section 5.1; of a form, RFC 7578).
///
/// In a stream of another element type, the registry chooses an entry by the media type of each part, and this entry
/// makes the value of the part. This also applies to a serializer of your own whose elements are parts.
public struct ResponsePart: Sendable, Hashable {
    /// The header fields of the part, without those of the response.
    public let fields: HeaderFields
    /// The media type of the part: `text/plain` if it is missing or invalid (RFC 2045, section 5.2), and
    /// `application/octet-stream` if Content-Transfer-Encoding is unknown (section 6.4).
    public let mediaType: MediaType
    /// The body of the part. If Content-Transfer-Encoding is `base64` or `quoted-printable`, it is decoded (RFC 2045,
    /// section 6); otherwise it has the bytes between the header and the next boundary, as they were sent.
    public let body: ResponseBody

    /// Creates a part as a server would send it, for tests.
    public init(fields: HeaderFields, body: ResponseBody) {
        self.fields = fields
        self.body = body
        let declared = ContentType(fields).mediaType ?? MediaType(essence: "text/plain", slash: 4, parameters: [])
        mediaType = TransferEncoding(fields) == .unknown ? .octetStream : declared
    }

    /// The name of the part in Content-Disposition, which in a form is the name of its field. Nil without a name.
    public var name: String? { disposition?.name }

    /// The file name of the part, as the sender wrote it. It can be any text, so never use it as a path. `filename*`
    /// takes precedence over `filename` (RFC 6266, section 4.3). Nil without a file name.
    public var fileName: String? { disposition?.fileName }

    private var disposition: ContentDisposition? {
        fields["Content-Disposition"].map { ContentDisposition($0, isOfForm: true) }
    }

    public static func == (left: Self, right: Self) -> Bool { left.fields == right.fields && left.body == right.body }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(body.data)
    }
}

extension ResponsePart: CustomStringConvertible, CustomReflectable {
    /// The fields with secrets masked, and the number of bytes: `[Content-Type: text/plain] 12 bytes`.
    public var description: String { "\(fields) \(body)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension ResponseHead: Hashable {
    /// Whether status, fields, URL and request are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.fields == right.fields && left.url == right.url
            && left.request == right.request
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(fields)
        hasher.combine(url)
        hasher.combine(request)
    }
}
