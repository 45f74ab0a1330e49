// Forms of parts (RFC 7578), built, measured, and read while they are sent.

public import PatchbayPlatform
public import PatchbayRegistry

/// A form of named parts (RFC 7578) that is read from memory, files and other sources while it is sent.
///
///     var form = MultipartFormData()
///     try form.append("Tea", name: "title")
///     try form.append(file: photo, name: "photo")
///     try await manager.upload(.multipart(form), to: "photos")
///
/// The length of the whole is announced exactly, unless a source cannot tell its own. A form can be sent any number of times.
public struct MultipartFormData: Sendable {
    /// What separates the parts; 1 to 70 characters (RFC 2046, section 5.1.1).
    public let boundary: String
    /// How fast the form is read; nil: as fast as it is sent.
    public var throttle: Throttle?
    private(set) var parts: [MultipartPart] = []

    /// A form with a boundary that no content is likely to have.
    public init() {
        var digits = String(UInt64.random(in: .min ... .max), radix: 16, uppercase: true)
        digits = String(repeating: "0", count: 16 - digits.count) + digits
        boundary = "Boundary+" + digits
    }

    /// - Throws: `ContentFailure` where the boundary has another length, or characters that it may not have.
    public init(boundary: String) throws(ContentFailure) {
        guard boundary.utf8.allSatisfy(Self.boundaryBytes.contains), (1...70).contains(boundary.utf8.count) else {
            throw ContentFailure(.invalidBoundary, "the boundary of a multipart form is not one that can be sent")
        }
        self.boundary = boundary
    }

    /// The value of Content-Type.
    public var contentType: String {
        "multipart/form-data; boundary=" + (FieldByte.isToken(boundary) ? boundary : "\"\(boundary)\"")
    }

    /// The length in bytes; nil where a source does not know its own.
    public var length: Int64? { makeSource().length }

    /// Text as UTF-8, without a type.
    public mutating func append(_ text: String, name: String) throws(ContentFailure) {
        try append(Data(text.utf8), name: name)
    }

    /// Bytes; with a file name and no type the type is that of the name's extension.
    public mutating func append(
        _ data: Data, name: String, fileName: String? = nil, type: String? = nil
    ) throws(ContentFailure) {
        parts.append(try MultipartPart(name, fileName, type, .data(data)))
    }

    /// A file, which is read while the form is sent. It must not change until then.
    /// - Throws: `ContentFailure` where there is no regular file that can be read.
    public mutating func append(
        file: URL, name: String, fileName: String? = nil, type: String? = nil
    ) throws(ContentFailure) {
        let length = try FileSource(file).length
        let body = MultipartPart.Body.source(length: length) { try FileSource(file) }
        parts.append(try MultipartPart(name, fileName ?? file.lastPathComponent, type, body))
    }

    /// What a source gives; `make` is called whenever the form is sent. Without a length the request is sent chunked.
    public mutating func append(
        length: Int64?, name: String, fileName: String? = nil, type: String? = nil,
        source make: @escaping @Sendable () throws -> any RequestBodySource
    ) throws(ContentFailure) {
        parts.append(try MultipartPart(name, fileName, type, .source(length: length, make)))
    }

    /// A part with header fields of your own.
    public mutating func append(_ data: Data, headers: HeaderFields) throws(ContentFailure) {
        parts.append(try MultipartPart(headers, .data(data)))
    }

    /// A form without parts, and all else as here.
    package var emptied: MultipartFormData {
        var form = self
        form.parts = []
        return form
    }

    package mutating func append(partsOf form: MultipartFormData) { parts += form.parts }

    func makeSource() -> MultipartSource { MultipartSource(self) }

    private static let boundaryBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'()+_,-./:=?".utf8)
}

extension MultipartFormData {
    /// A bound on how fast a form is read.
    public struct Throttle: Sendable, Hashable {
        /// The most that one read gives.
        public var bytes: Int
        /// How long to wait after each read.
        public var delay: Duration

        /// So many bytes, then so long a wait.
        public init(bytes: Int, delay: Duration) {
            self.bytes = bytes
            self.delay = delay
        }
    }
}

extension RequestContent {
    /// A form of named parts, read while it is sent.
    public static func multipart(_ form: MultipartFormData) -> RequestContent {
        RequestContent(form.contentType, isStreamed: true) { .source(form.makeSource()) }
    }
}

extension MultipartFormData: CustomStringConvertible, CustomReflectable {
    /// How many parts there are, not what is in them.
    public var description: String { "a form of \(parts.count) parts" }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension MultipartFormData.Throttle: CustomStringConvertible {
    /// `16,384 bytes every 0.2 seconds`
    public var description: String { "\(ByteCount(bytes)) every \(delay)" }
}
