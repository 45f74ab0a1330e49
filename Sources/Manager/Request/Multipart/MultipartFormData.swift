// Multipart forms (RFC 7578): built, measured, and read while they are sent.

public import PatchbayPlatform
public import PatchbayRegistry

/// A form of named parts (RFC 7578) that is read from memory, files and other sources while it is sent.
///
///     var form = MultipartFormData()
///     form.append("Tea", name: "title")
///     form.append(file: photo, name: "photo")
///     try await manager.upload(.multipart(form), to: "photos")
///
/// The exact length of the form is announced, unless the length of a part is unknown. A form can be sent any number of
/// times. If the boundary, a name or a part can't be sent, the call fails with code `invalidRequest` before anything is
/// sent.
public struct MultipartFormData: Sendable {
    /// The separator of the parts: 1 to 70 characters (RFC 2046, section 5.1.1).
    public let boundary: String
    /// The limit of bytes for one read, and the pause after each read. If nil, the form is read as fast as it is sent.
    package var pace: (bytes: Int, delay: Duration)?
    private(set) var parts: [MultipartPart] = []
    /// The first reason that the form cannot be sent.
    private(set) var refusal: ContentFailure?

    /// - Parameter boundary: 1 to 70 characters that are allowed in a boundary; nil for a random boundary.
    public init(boundary: String? = nil) {
        guard let boundary else {
            var digits = String(UInt64.random(in: .min ... .max), radix: 16, uppercase: true)
            digits = String(repeating: "0", count: 16 - digits.count) + digits
            self.boundary = "Boundary+" + digits
            return
        }
        self.boundary = boundary
        guard boundary.utf8.allSatisfy(Self.boundaryBytes.contains), (1...70).contains(boundary.utf8.count) else {
            refusal = ContentFailure(
                .invalidBoundary, "the boundary of a multipart form is not one that can be sent")
            return
        }
    }

    /// The value of Content-Type.
    public var contentType: MediaType { MediaType(parsing: typeField) ?? "multipart/form-data" }

    var typeField: String {
        "multipart/form-data; boundary=" + (FieldByte.isToken(boundary) ? boundary : "\"\(boundary)\"")
    }

    /// The length in bytes; nil if the length of a part is unknown.
    public var length: Int64? { refusal == nil ? MultipartSource(self).length : nil }

    /// Appends a part with text in UTF-8, without a media type.
    public mutating func append(_ text: String, name: String) {
        append(Data(text.utf8), name: name)
    }

    /// Appends a part with bytes. If there is a file name and no type, the extension of the file name decides the media
    /// type.
    public mutating func append(_ data: Data, name: String, fileName: String? = nil, type: MediaType? = nil) {
        append { () throws(ContentFailure) in try MultipartPart(name, fileName, type?.description, .data(data)) }
    }

    /// Appends a part with a file, which is read while the form is sent. The file must not change until it was sent.
    public mutating func append(file: URL, name: String, fileName: String? = nil, type: MediaType? = nil) {
        append { () throws(ContentFailure) in
            let length = try FileSource(file).length
            let body = MultipartPart.Body.source(length: length) { try FileSource(file) }
            return try MultipartPart(name, fileName ?? file.lastPathComponent, type?.description, body)
        }
    }

    /// Appends a part with header fields of your own, such as its `Content-Disposition`. The part has the media type of
    /// the content, unless the fields set another type. With content other than `data`, the length of the form is
    /// unknown.
    public mutating func append(_ content: RequestContent, headers: HeaderFields) {
        var fields = headers
        fields["Content-Type"] = content.unwritten?.type?.description ?? fields["Content-Type"] ?? content.contentType
        append { () throws(ContentFailure) in try MultipartPart(fields, content) }
    }

    /// Appends a part with the bytes of a source. `make` is called each time the form is sent.
    package mutating func append(
        length: Int64?, name: String, fileName: String?, type: String?,
        source make: @escaping @Sendable () throws -> any RequestBodySource
    ) {
        append { () throws(ContentFailure) in
            try MultipartPart(name, fileName, type, .source(length: length, make))
        }
    }

    private mutating func append(_ make: () throws(ContentFailure) -> MultipartPart) {
        do throws(ContentFailure) { parts.append(try make()) } catch { refusal = refusal ?? error }
    }

    package mutating func append(partsOf form: MultipartFormData) {
        parts += form.parts
        refusal = refusal ?? form.refusal
    }

    /// Writes the parts whose content an entry of the registry must write.
    mutating func writeParts(
        _ write: (UnwrittenContent, _ field: String?) throws(SessionError) -> WrittenContent
    ) throws(SessionError) {
        for index in parts.indices {
            guard let unwritten = parts[index].unwritten else { continue }
            let written = try write(unwritten, parts[index].fields["Content-Type"])
            var fields = parts[index].fields
            fields["Content-Type"] = written.contentType
            do throws(ContentFailure) {
                parts[index] = try MultipartPart(fields, MultipartPart.Body(written))
            } catch {
                throw SessionError(.invalidRequest, "the request was not sent: \(error.reason)", cause: error)
            }
        }
    }

    func makeSource() throws(ContentFailure) -> MultipartSource {
        if let refusal { throw refusal }
        return MultipartSource(self)
    }

    private static let boundaryBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'()+_,-./:=?".utf8)
}

extension RequestContent {
    /// A form of named parts, read while it is sent.
    public static func multipart(_ form: MultipartFormData) -> RequestContent {
        guard !form.parts.contains(where: { $0.unwritten != nil }) else {
            return RequestContent(UnwrittenContent(.form(form), in: nil), isStreamed: true)
        }
        return RequestContent(form.typeField, isStreamed: true) { .source(try form.makeSource()) }
    }
}

extension MultipartFormData: CustomStringConvertible, CustomReflectable {
    /// The number of parts, not their content.
    public var description: String { "a form of \(parts.count) parts" }
    public var customMirror: Mirror { Mirror(described: self) }
}
