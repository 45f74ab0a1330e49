public import PatchbayPlatform

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
