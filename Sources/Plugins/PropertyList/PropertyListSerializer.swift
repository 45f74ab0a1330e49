public import PatchbayJSON
public import PatchbayPlatform
package import PatchbayRegistry

/// Reads property lists, XML or binary, whichever the bytes are; makes any `Decodable` from them as well, and writes any `Encodable`.
///
/// The list is read once, with its limits: nesting (512 deep), and what shared objects amount to (5,000,000 values). A type is
/// decoded from the value that was read. The old OpenStep format is refused, and so is a dictionary that has a key twice, where
/// Foundation takes one of the values. A document type declaration is passed over, as ``XMLLimits/Doctype/ignore`` says; there is no
/// option to have its entities put in place.
///
/// It writes XML, and a binary list for `application/x-apple-binary-plist`.
package struct PropertyListSerializer: DecodingSerializer, NeverDecliningSerializer, RequestSerializer {
    package init() {}

    /// - Throws: `PropertyListFailure`, or `XMLFailure` where the XML itself is broken.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> PropertyList {
        try Self.read(body, head.contentType)
    }

    /// - Throws: the same.
    fileprivate static func read(_ body: ResponseBody, _ contentType: ContentType) throws -> PropertyList {
        let limits = PropertyListLimits()
        if body.data.starts(with: "bplist".utf8) { return try BinaryPropertyListReader.read(body.data, limits) }
        guard looksLikeXML(body) else {
            throw PropertyListFailure(.format, "it is neither an XML nor a binary property list")
        }
        // The plist element and the innermost value are around and inside the containers.
        let xml = XMLLimits(maximumDepth: limits.depth + 3, doctype: .ignore)
        let text: XMLText
        do throws(XMLFailure) {
            text = try XMLText(body, contentType, xml)
        } catch  where error.code == .doctype {
            // Its sentence names an option that this format does not have.
            throw XMLFailure(
                .doctype, "it uses an entity that is not one of XML's five", line: error.line, column: error.column)
        }
        return try XMLPropertyListReader.read(text, limits)
    }

    /// - Throws: the same, and `DecodingError` where the list is of another shape than the type.
    package func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try serialize(body, head).decode(type)
    }

    /// Writes the list that a value encodes.
    ///
    /// A member that is nil is left out, a `URL` is its text, and a `Decimal` is an integer, or else a real. In XML a date is written to the
    /// second.
    /// - Throws: `EncodingError` with the path of what a property list cannot hold: null, an integer of more than 64 bits, a `Decimal` with
    ///   more digits than a real has, a date outside the years 1 to 9999, and in XML a text with a character that XML 1.0 lacks; also for a
    ///   value that is neither an array nor a dictionary. What the value throws; `FormatFailure` for XML in a charset other than UTF-8.
    package func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        let isXML = type.essence != "application/x-apple-binary-plist"
        if isXML { try type.requireUTF8("property-list") }
        let list = try WrittenPropertyList(value, isXML: isXML).list
        let encoder = PropertyListEncoder()
        encoder.outputFormat = isXML ? .xml : .binary
        let bytes = try encoder.encode(list)
        guard isXML, bytes.contains(0x0D) else { return bytes }
        // Foundation writes a CR as it is, which readers of XML take for a line end, an LF (XML 1.0, section 2.11).
        return Data(bytes.split(separator: 0x0D, omittingEmptySubsequences: false).joined(separator: "&#13;".utf8))
    }

    /// Whether the first character is one that XML begins with, in an ASCII-compatible encoding or behind a byte order mark.
    private static func looksLikeXML(_ body: ResponseBody) -> Bool {
        let first = body.data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first.map { [UInt8(ascii: "<"), 0xEF, 0xFE, 0xFF, 0].contains($0) } ?? false
    }
}

extension PropertyList {
    /// Reads an XML or a binary property list, whichever the bytes are, with the rules and limits of the entry `property-list`.
    ///
    /// The encoding of XML is what the bytes say (XML 1.0, appendix F): a byte order mark, else the declaration, else UTF-8.
    /// - Throws: `FormatFailure` of the format `property-list`, or `xml` where the XML itself is broken.
    public init(parsing bytes: some ContiguousBytes) throws(FormatFailure) {
        do {
            self = try PropertyListSerializer.read(ResponseBody(bytes), .missing)
        } catch {
            throw FormatFailure.published(error) as? FormatFailure
                ?? FormatFailure("property-list", .malformed, "it can't be read", cause: error)
        }
    }
}

struct PropertyListFactory: SerializerFactory {
    static let name = "property-list"

    func makeSerializer(_ options: NoOptions, _ context: FactoryContext) throws -> any Serializer {
        PropertyListSerializer()
    }
}
