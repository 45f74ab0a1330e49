// The words of HTTP (RFC 9110) as values: heads, fields, bodies, media types and ranges, statuses, hosts, dates. Each is read from
// bytes of others by a parser beside it that gives a value or a reason, and never traps.

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
    package var host: CanonicalHost? { storage.host }
    /// What the Content-Type fields say, by the WHATWG rules.
    package var contentType: ContentType { storage.contentType }
    /// The request that this response answers.
    public var request: RequestHead { storage.request }

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

/// The method, the URL and the header fields of a request: all of it but the body.
public struct RequestHead: Sendable, Hashable {
    /// The method, upper case by convention and compared exactly (RFC 9110, section 9.1).
    public var method: String
    /// Where it goes, absolute.
    public var url: URL
    /// The header fields, all that are known before the transport adds its own.
    public var fields: HeaderFields
    /// The segments of paths that the manager's configuration wants kept out of descriptions.
    package var maskedPathSegments: Set<String> = []

    /// The method is a token, and its letter case counts (RFC 9110, section 9.1).
    public init(method: String = "GET", url: URL, fields: HeaderFields = [:]) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

extension RequestHead {
    /// Where it goes, as a sentence names it: host, port and path; nil for a URL without a host.
    package var place: String? { Redaction.place(url, named: maskedPathSegments) }

    /// The URL as it may be shown.
    package var maskedURL: String { Redaction.masked(url.absoluteString, named: maskedPathSegments) }

    // What is not to be shown is no part of what is sent.
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
    /// Method, URL and fields, without what may be a secret: `GET http://example.com/a?page=*** [Cookie: <9 bytes>]`.
    public var description: String { "\(method) \(maskedURL) \(fields)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": maskedURL, "fields": fields], displayStyle: .struct)
    }
}

/// One part of a body that is made of parts: a message in a message (RFC 2046, section 5.1; of a form, RFC 7578).
///
/// In a stream of anything else a part goes back through the registry: the entry for its own media type makes the value of it. A
/// serializer of your own whose elements are parts is treated in the same way.
public struct ResponsePart: Sendable, Hashable {
    /// The header fields of the part, which has none of those of the response around it.
    public let fields: HeaderFields
    /// The media type of the part: `text/plain` where it names none, or one that cannot be read (RFC 2045, section 5.2).
    public let mediaType: MediaType
    /// The bytes between the header and the next boundary, as they were sent: no transfer encoding is undone.
    public let body: ResponseBody

    /// For tests: a part as a server would send it.
    public init(fields: HeaderFields, body: ResponseBody) {
        self.fields = fields
        self.body = body
        mediaType =
            ContentType(fields).mediaType ?? MediaType(essence: "text/plain", slash: 4, parameters: [])
    }

    /// What Content-Disposition calls the part: of a form, the name of its field. Nil where it has no name.
    public var name: String? { disposition?.name }

    /// The name of the file that the part was, as the sender wrote it: no path to write to, but a text that may be anything. Of the two
    /// forms that there are, `filename*` comes before `filename` (RFC 6266, section 4.3). Nil where it names no file.
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
    /// The fields, without what may be a secret, and how many bytes there are: `[Content-Type: text/plain] 12 bytes`.
    public var description: String { "\(fields) \(body)" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension ResponseHead: Hashable {
    /// Whether status, fields, URL and request are the same.
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
