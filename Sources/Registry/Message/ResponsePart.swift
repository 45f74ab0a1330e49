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

    public init(fields: HeaderFields, body: ResponseBody) {
        self.fields = fields
        self.body = body
        mediaType =
            ContentType(fields).mediaType ?? MediaType(essence: "text/plain", slash: 4, parameters: [])
    }

    /// What Content-Disposition calls the part: of a form, the name of its field. Nil where it has no name.
    public var name: String? {
        disposition.first { $0.name == "name" }?.value
    }

    /// The name of the file that the part was, as the sender wrote it: no path to write to, but a text that may be anything. Of the two
    /// forms that there are, `filename*` comes before `filename` (RFC 6266, section 4.3). Nil where it names no file.
    public var fileName: String? {
        for parameter in disposition where parameter.name == "filename*" {
            if let name = DispositionParameters.decode(extended: parameter.value) { return name }
        }
        return disposition.first { $0.name == "filename" }?.value
    }

    private var disposition: [DispositionParameters.Parameter] {
        fields["Content-Disposition"].map(DispositionParameters.read) ?? []
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

/// The parameters of a Content-Disposition field, by Unicode scalars: a mark behind a quote does not make another of it.
///
/// What stands in quotes is read by the rules of both kinds of senders: of browsers, which write a quote as `%22` and a line break as
/// `%0D%0A` (Fetch, "parse a multipart/form-data name"), and of mail, which writes a backslash before a quote or another backslash; a
/// backslash before anything else is part of a Windows path.
private enum DispositionParameters {
    typealias Parameter = (name: String, value: String)

    static func read(_ value: String) -> [Parameter] {
        var found: [Parameter] = []
        var rest = value.unicodeScalars.drop { $0 != ";" }
        while rest.popFirst() != nil {
            rest = rest.drop(while: isBlank)
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop(while: isBlank)
            let value = rest.first == "\"" ? quoted(&rest) : trimmed(rest.prefix { $0 != ";" })
            found.append((FieldByte.lowercased(trimmed(name)), value))
            rest = rest.drop { $0 != ";" }
        }
        return found
    }

    /// `UTF-8''percent-encoded` (RFC 8187, section 3.2); nil for any other charset, and for bytes that are not UTF-8.
    static func decode(extended value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, FieldByte.lowercased(Substring(parts[0])) == "utf-8" else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = Substring(rest.prefix(2)).asHexadecimal else { return nil }
            bytes.append(digits)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                value.append(next)
                rest = rest.dropFirst()
            } else if scalar == "%", let byte = Substring(rest.prefix(2)).asHexadecimal,
                [0x0A, 0x0D, 0x22].contains(byte)
            {
                value.append(Unicode.Scalar(byte))
                rest = rest.dropFirst(2)
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        var text = text
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }
}

extension Substring {
    /// The byte that two hexadecimal digits are; nil for any other text.
    fileprivate var asHexadecimal: UInt8? {
        utf8.count == 2 && utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } ? UInt8(self, radix: 16) : nil
    }
}
