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
