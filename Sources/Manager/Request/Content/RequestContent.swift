// The bodies of requests: bytes, files, values that an entry of the registry writes, and sequences that are read while
// they are sent. Also the state that is kept for sending a body again.

public import PatchbayPlatform
public import PatchbayRegistry

/// The body of a request and its media type, made when the request is sent.
public struct RequestContent: Sendable {
    /// The value of Content-Type; nil if the policy of the host decides it. For bytes, files and streams, a
    /// `Content-Type` field of the request overrides it.
    package let contentType: String?
    package let makeBody: @Sendable () throws -> RequestBody
    /// The content that is written in the call; nil for content that needs no registry.
    private(set) var unwritten: UnwrittenContent?
    let mayBlock: Bool
    /// Whether the content is read while it is sent. A request with such content has no default total timeout.
    let isStreamed: Bool
    private(set) var trailers: ContentTrailers?
    /// The bytes, if they are known before the body is made; else nil.
    private(set) var data: Data?

    /// The media type. A `Content-Type` field of the request overrides it, except a media type that was passed to
    /// `value(_:in:)` or `elements(_:in:isRepeatable:)`. Nil for a value without a media type: the field, or the policy
    /// of the host, decides.
    public var type: MediaType? { contentType.flatMap { MediaType(parsing: $0) } }

    /// Content that is read while it is sent. `making` is called on a thread where it is allowed to block. If it
    /// throws, the request fails before anything is sent.
    public init(_ type: MediaType, making: @escaping @Sendable () throws -> RequestBody) {
        self.init(type.description, mayBlock: true, isStreamed: true, making)
    }

    package init(
        _ contentType: String?, mayBlock: Bool = false, isStreamed: Bool = false,
        _ makeBody: @escaping @Sendable () throws -> RequestBody
    ) {
        (self.contentType, self.mayBlock, self.isStreamed) = (contentType, mayBlock, isStreamed)
        self.makeBody = makeBody
    }

    /// Returns the content with a body that is already made, or with the error of making that body.
    func giving(_ body: Result<RequestBody, any Error>) -> RequestContent {
        var content = RequestContent(contentType, isStreamed: isStreamed) { try body.get() }
        content.trailers = trailers
        return content
    }

    /// Content that is written in the call.
    init(_ unwritten: UnwrittenContent, isStreamed: Bool = false) {
        self.init(unwritten.contentType, isStreamed: isStreamed) { try unwritten.bodyOutsideCall() }
        self.unwritten = unwritten
    }

    /// Bytes as they are.
    public static func data(_ data: Data, type: MediaType = .octetStream) -> RequestContent {
        var content = RequestContent(type.description) { .data(data) }
        content.data = data
        return content
    }

    /// A value that an entry of the registry writes in its media type.
    ///
    /// The first entry that is for the host, covers the type, can write and does not decline the value writes it. The
    /// standard table writes JSON, forms, property lists, lines of JSON, JSON text sequences and CSV. If no entry
    /// writes the value, the call fails with code `noWriter`; if the entry throws, with code `writing`. In both cases
    /// nothing is sent.
    ///
    /// The value is written once for each call, by the registry that the call began with, and retries and redirects
    /// send the same bytes. It is written again only if an interceptor returned other content, another type, a URL
    /// whose host has another section, or another `excluding`.
    ///
    /// `Data` and `[UInt8]` are sent as they are, and a `String` in the charset of its type. No entry of the registry
    /// writes them, whatever the type is. `JSON("text")` is the text as a JSON string. An optional is sent as the value
    /// inside it; an entry writes nil, in JSON as `null`.
    /// - Parameters:
    ///   - value: the value of the body.
    ///   - type: the media type, which becomes the Content-Type. If nil, the request's `Content-Type` field decides.
    ///     Without that field, text gets `text/plain; charset=utf-8`, bytes get `application/octet-stream`, and other
    ///     values get `policy.requestContentType` of the host, which is `application/json` unless a manifest sets
    ///     another type.
    public static func value(_ value: any Encodable & Sendable, in type: MediaType? = nil) -> RequestContent {
        let value = unwrapped(value) ?? value
        return RequestContent(UnwrittenContent(BodyValue(value).map { .given($0) } ?? .value(value), in: type))
    }

    /// The content of an optional value; nil if the value is nil, or an optional that is nil.
    static func value(_ value: (any Encodable & Sendable)?, in type: MediaType?) -> RequestContent? {
        value.flatMap { unwrapped($0) }.map { .value($0, in: type) }
    }

    /// Returns this content with trailer fields (RFC 9110, section 6.5). Their values, such as a digest of the content,
    /// are known only when all of the content was read.
    ///
    /// ```swift
    /// request.content = .file(film).trailers("Content-Digest") { ["Content-Digest": digest.value] }
    /// ```
    ///
    /// A request with trailer fields goes over HTTP/1.1 and is sent chunked, without an announced length.
    /// - Parameters:
    ///   - names: the names of all fields that `make` can return. The `Trailer` field of the head announces the names.
    ///     If a name is not allowed in trailers (RFC 9110, section 6.5.1), the request is not sent.
    ///   - make: called when all of the content was read, on a thread where it is allowed to block. If `make` throws,
    ///     or returns a field that is not among the names, the request fails, and the connection is closed before the
    ///     body looks complete.
    public func trailers(
        _ names: String..., making make: @escaping @Sendable () throws -> HeaderFields
    ) -> RequestContent {
        var content = self
        content.trailers = ContentTrailers(names: names, make: make)
        return content
    }
}

extension RequestContent: CustomStringConvertible, CustomReflectable {
    /// The media type; for a value without a media type, the type of the value. Never contains the content.
    public var description: String { contentType ?? unwritten?.placeholder ?? "" }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// Content that is never completely in memory.
extension RequestContent {
    /// A file. It is opened when the request is sent, and read while it is sent. The file must not change until it was
    /// sent.
    ///
    /// If there is no readable regular file, the call fails with code `invalidRequest`.
    /// - Parameters:
    ///   - url: the URL of the file.
    ///   - type: the media type; by default, the extension of the file's name decides it.
    public static func file(_ url: URL, type: MediaType? = nil) -> RequestContent {
        RequestContent(
            type?.description ?? FileMediaType.ofFile(url.lastPathComponent), mayBlock: true, isStreamed: true
        ) { .source(try FileSource(url)) }
    }

    /// Chunks of bytes from a sequence, fetched at most 256 KiB ahead of sending.
    ///
    /// If the sequence throws, the request fails with that error as its cause, and the connection is closed before the
    /// body looks complete. When the call ends, the task that fetches chunks is cancelled. For a source that is not a
    /// sequence see `init(_:making:)`.
    /// - Parameters:
    ///   - chunks: the sequence. Each chunk is sent when it arrives.
    ///   - type: the media type.
    ///   - length: the number of bytes in all. If the sequence gives more or fewer bytes, the request fails. Without a
    ///     length the request is sent chunked.
    ///   - isRepeatable: whether each iteration of the sequence gives all chunks from the first one, so that a
    ///     redirect or a retry can send them again. Otherwise, sending them again is an error.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, type: MediaType = .octetStream, length: Int64? = nil, isRepeatable: Bool = false
    ) -> RequestContent where Chunks.Element == Data {
        let pass = chunks.pass(isRepeatable: isRepeatable)
        return RequestContent(type.description, isStreamed: true) {
            .source(SequenceSource(length: length, isRepeatable: isRepeatable, pass))
        }
    }
}

/// The media type of a file by its extension: the most common registered types.
enum FileMediaType {
    /// The type for a file's name; `application/octet-stream` for an extension that is not in the table.
    static func ofFile(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    static let unknown = "application/octet-stream"

    private static let types: [String: String] = [
        "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif", "bin": unknown, "bmp": "image/bmp",
        "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html", "ico": "image/x-icon",
        "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown",
        "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "mpg": "video/mpeg", "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "plist": "application/x-plist", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rtf": "application/rtf",
        "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
        "ttf": "font/ttf", "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm",
        "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "zip": "application/zip", "zst": "application/zstd",
    ]
}

/// The reason that the content of a request (a form, a file or a stream) cannot be sent.
package struct ContentFailure: SafeToPrint, Sendable, Hashable {
    package enum Code: String, Sendable {
        case invalidBoundary, invalidName, invalidHeader, headersTooLarge, notFileURL, missingFile
        case notRegularFile, unreadableFile, wrongLength
        /// The content must be sent again, but its sequence can be sent only once.
        case alreadySent
        /// A trailer field was not announced, or cannot be sent.
        case invalidTrailer
        /// The content is a value, which only a call can write.
        case unwritten
        /// The content is streamed, so only the transport can read it.
        case streamed
    }

    package let code: Code
    /// The reason in plain words. It has only the last component of a file's path.
    package let reason: String
    package var description: String { reason }

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
