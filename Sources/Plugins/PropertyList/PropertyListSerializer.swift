public import PatchbayJSON
public import PatchbayPlatform
package import PatchbayRegistry

/// Reads XML and binary property lists; the bytes show which of the two formats a list has. Decodes any `Decodable`
/// from them, and writes any `Encodable`.
///
/// The list is parsed once, with limits: 512 levels of nesting, and 5,000,000 values, where a shared object counts at
/// each position that refers to it. A type is decoded from the parsed value. The old OpenStep format is refused. A
/// dictionary with the same key twice is refused too; Foundation uses one of the values. A document type declaration is
/// skipped, as with ``XMLLimits/Doctype/ignore``; there is no option to expand its entities.
///
/// The serializer writes XML, and a binary list for `application/x-apple-binary-plist`.
package struct PropertyListSerializer: DecodingSerializer, NeverDecliningSerializer, RequestSerializer {
    /// The charset that replaces those of the response and the document; nil for none. A byte order mark takes precedence.
    package let charsetOverride: String?

    package init(charsetOverride: String? = nil) {
        self.charsetOverride = charsetOverride
    }

    /// - Throws: `FormatFailure`, or `XMLFailure` if the XML itself is broken.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> PropertyList {
        try Self.read(body, head.contentType, charsetOverride)
    }

    /// - Throws: `FormatFailure`, or `XMLFailure` if the XML itself is broken.
    fileprivate static func read(
        _ body: ResponseBody, _ contentType: ContentType, _ charsetOverride: String? = nil
    ) throws -> PropertyList {
        let limits = PropertyListLimits()
        if body.data.starts(with: "bplist".utf8) { return try BinaryPropertyListReader.read(body.data, limits) }
        guard looksLikeXML(body) else {
            let clause = body.withUnsafeBytes { KnownFormat.clause(for: $0, refusedBy: "property-list") }
            throw FormatFailure.propertyList(
                .wrongFormat, "it is neither an XML nor a binary property list" + (clause.map { "; \($0)" } ?? ""))
        }
        // The depth of XML also counts the plist element around the containers, and the innermost value.
        let xml = XMLLimits(maximumDepth: limits.depth + 3, doctype: .ignore)
        let text: XMLText
        do throws(XMLFailure) {
            text = try XMLText(body, contentType, xml, charsetOverride: charsetOverride)
        } catch {
            guard error.code == .doctype else { throw error }
            // The reason of `error` names an option that this format does not have.
            throw XMLFailure(
                .doctype, "it uses an entity that is not one of XML's five", line: error.line, column: error.column)
        }
        return try XMLPropertyListReader.read(text, limits)
    }

    /// - Throws: the errors of `serialize`, and `DecodingError` if the list doesn't match the type.
    package func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try serialize(body, head).decode(type)
    }

    /// Writes the property list that a value encodes.
    ///
    /// A nil member is left out. A `URL` is written as its text, and a `Decimal` as an integer if it is one, else as a
    /// real. In XML, a date is written to the second.
    /// - Throws: `EncodingError` with the coding path of a value that a property list can't hold: null, an integer of
    ///   more than 64 bits, a `Decimal` with more digits than a real has, a date outside the years 1 to 9999, and in
    ///   XML a text with a character that XML 1.0 doesn't allow; also for a value that is neither an array nor a
    ///   dictionary. Any error that the value throws. `FormatFailure` for XML in a charset other than UTF-8.
    package func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        let isXML = type.essence != "application/x-apple-binary-plist"
        if isXML { try type.requireUTF8("property-list") }
        let list = try WrittenPropertyList(value, isXML: isXML).list
        let encoder = PropertyListEncoder()
        encoder.outputFormat = isXML ? .xml : .binary
        let bytes = try encoder.encode(list)
        guard isXML, bytes.contains(0x0D) else { return bytes }
        // Foundation writes a CR unescaped. XML parsers read a CR as a line end, LF (XML 1.0, section 2.11).
        return Data(bytes.split(separator: 0x0D, omittingEmptySubsequences: false).joined(separator: "&#13;".utf8))
    }

    /// Whether the first byte after white space can begin XML: `<`, or the first byte of a byte order mark.
    private static func looksLikeXML(_ body: ResponseBody) -> Bool {
        let first = body.data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first.map { [UInt8(ascii: "<"), 0xEF, 0xFE, 0xFF, 0].contains($0) } ?? false
    }
}

extension PropertyList {
    /// Reads an XML or binary property list with the rules and limits of the entry `property-list`. The bytes show
    /// which of the two formats the list has.
    ///
    /// The bytes determine the encoding of XML (XML 1.0, appendix F): a byte order mark, else the declaration, else
    /// UTF-8.
    /// - Throws: `FormatFailure` of the format `property-list`, or `xml` if the XML itself is broken.
    public init(parsing bytes: some ContiguousBytes) throws(FormatFailure) {
        do {
            self = try PropertyListSerializer.read(ResponseBody(bytes), .missing)
        } catch {
            throw FormatFailure.published(error) as? FormatFailure
                ?? FormatFailure("property-list", .malformed, "it can't be read", cause: error)
        }
    }
}

struct PropertyListOptions: Decodable, Sendable {
    var charsetOverride: String?

    func serializer() throws -> PropertyListSerializer {
        try OptionFailure.check("charsetOverride", charset: charsetOverride)
        return PropertyListSerializer(charsetOverride: charsetOverride)
    }
}
