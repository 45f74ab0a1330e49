/// A media type: `type/subtype` and parameters (RFC 9110, section 8.3.1; WHATWG MIME Sniffing, section 4).
///
/// A `MediaType` is canonical: type, subtype and parameter names are in lower case, parameters keep their order, and
/// only the first of repeated parameters is kept. Two media types are equal if all these parts are equal.
public struct MediaType: Sendable, Hashable {
    /// One parameter: a token in lower case, and its value without quotes and escapes.
    package struct Parameter: Sendable, Hashable {
        /// In lower case.
        package let name: String
        /// As written, without the quotes of a quoted string.
        package let value: String
    }

    /// `type/subtype`, without parameters.
    public let essence: String
    /// The parameters in the order received, without repeated names.
    package private(set) var parameters: [Parameter]
    /// The position of the slash in `essence`, in bytes.
    private let slash: Int

    /// Reads a media type by the WHATWG rules ("parse a MIME type"); nil if it is invalid.
    ///
    /// The rules are lenient about parameters: a malformed parameter is dropped, and all other parameters are kept.
    public init?(parsing string: String) {
        guard let parsed = Self.parse(string) else { return nil }
        self = parsed
    }

    /// The parts must be canonical.
    init(essence: String, slash: Int, parameters: [Parameter]) {
        self.essence = essence
        self.slash = slash
        self.parameters = parameters
    }

    /// The part before the slash, such as `application`.
    public var type: String { String(essence.prefix(upTo: slashIndex)) }

    /// The part after the slash, such as `problem+json`.
    public var subtype: String { String(essence.suffix(from: slashIndex).dropFirst()) }

    /// The structured suffix without its plus sign, such as `json` (RFC 6839); nil without a suffix.
    public var suffix: String? {
        var essence = essence
        return essence.withUTF8 { bytes in
            guard let plus = bytes.lastIndex(of: UInt8(ascii: "+")), plus > slash, plus + 1 < bytes.count else {
                return nil
            }
            return String(decoding: bytes[(plus + 1)...], as: UTF8.self)
        }
    }

    /// The value of a parameter; nil without it. The name is compared without regard to ASCII case.
    ///
    /// Setting replaces the value and keeps the position of the parameter, or adds the parameter at the end; nil
    /// removes it. A name that is not a token, or a value with a character that header fields cannot contain, such as a
    /// line end, counts as nil.
    public subscript(parameter name: String) -> String? {
        get { parameters.first { HeaderFields.matches($0.name, name) }?.value }
        set {
            let place = parameters.firstIndex { HeaderFields.matches($0.name, name) }
            guard let newValue, FieldByte.isToken(name), newValue.utf8.allSatisfy(FieldByte.isQuotedText) else {
                if let place { parameters.remove(at: place) }
                return
            }
            let parameter = Parameter(name: FieldByte.lowercased(name), value: newValue)
            if let place { parameters[place] = parameter } else { parameters.append(parameter) }
        }
    }

    /// The essence of `other` with the parameters of this media type.
    package func withEssence(of other: MediaType) -> MediaType {
        MediaType(essence: other.essence, slash: other.slash, parameters: parameters)
    }

    /// This media type with one more parameter; unchanged if it has a parameter of this name, with any value.
    func adding(_ parameter: Parameter) -> MediaType {
        guard self[parameter: parameter.name] == nil else { return self }
        return MediaType(essence: essence, slash: slash, parameters: parameters + [parameter])
    }

    private var slashIndex: String.Index { essence.utf8.index(essence.startIndex, offsetBy: slash) }
}

extension MediaType {
    /// `application/json`
    public static let json = MediaType(essence: "application/json", slash: 11, parameters: [])
    /// `application/x-www-form-urlencoded`
    public static let form = MediaType(essence: "application/x-www-form-urlencoded", slash: 11, parameters: [])
    /// `application/x-ndjson`
    public static let ndjson = MediaType(essence: "application/x-ndjson", slash: 11, parameters: [])
    /// `application/octet-stream`
    public static let octetStream = MediaType(essence: "application/octet-stream", slash: 11, parameters: [])
    /// `text/plain;charset=utf-8`
    public static let text = MediaType(
        essence: "text/plain", slash: 4, parameters: [Parameter(name: "charset", value: "utf-8")])
}

extension MediaType: ExpressibleByStringLiteral {
    /// A media type in source code; an invalid one ends the process. For text that is known only at run time see
    /// `init(parsing:)`.
    public init(stringLiteral text: String) {
        guard let type = Self.parse(text) else { preconditionFailure("not a media type: \(text)") }
        self = type
    }
}

extension MediaType: CustomStringConvertible {
    /// The canonical text, with values in quotes if necessary (WHATWG "serialize a MIME type").
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += ";\(parameter)"
        }
    }
}

extension MediaType.Parameter: CustomStringConvertible {
    /// `name=value`, with quotes if the value is not a token.
    package var description: String {
        guard !FieldByte.isToken(value) else { return "\(name)=\(value)" }
        let escaped = value.reduce(into: "") { text, character in
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return "\(name)=\"\(escaped)\""
    }
}

// Reads media types as browsers do: WHATWG MIME Sniffing, section 4.4, "parse a MIME type".
//
// One pass over UTF-8 bytes: all delimiters are ASCII.
extension MediaType {
    /// The number of parameters up to which names are searched one by one.
    private static let fewParameters = 8

    static func parse(_ string: String) -> MediaType? {
        var string = string
        return string.withUTF8 { parse($0.span, 0..<$0.count) }
    }

    /// Reads the media type in `range` of `bytes`; nil if it is invalid.
    static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> MediaType? {
        let range = trimming(bytes, range, FieldByte.isWhitespace)
        let slash = end(bytes, range, before: UInt8(ascii: "/"))
        let semicolon = end(bytes, slash..<range.upperBound, before: UInt8(ascii: ";"))
        guard slash < range.upperBound else { return nil }
        let subtype = trimming(bytes, slash + 1..<max(semicolon, slash + 1), FieldByte.isWhitespace)
        guard isToken(bytes, range.lowerBound..<slash), isToken(bytes, slash + 1..<subtype.upperBound) else {
            return nil
        }
        return MediaType(
            essence: essence(bytes, range.lowerBound..<subtype.upperBound), slash: slash - range.lowerBound,
            parameters: semicolon < range.upperBound ? parameters(bytes, semicolon..<range.upperBound) : [])
    }

    /// The text of `range` in lower case. That of JSON, which most responses have, is a literal, and so no memory.
    private static func essence(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        let json = StaticString("application/json")
        guard range.count == json.utf8CodeUnitCount,
            (0..<range.count).allSatisfy({ bytes[range.lowerBound + $0] == json.utf8Start[$0] })
        else { return lowercased(bytes, range) }
        return MediaType.json.essence
    }

    /// The parameters of `range`, which begins at a semicolon.
    private static func parameters(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [MediaType.Parameter] {
        let end = range.upperBound
        var parameters: [MediaType.Parameter] = []
        // Used only for a long list, in which searching would take time that grows with the square of its length.
        var names: Set<String> = []
        var position = range.lowerBound
        while position < end {
            position += 1
            while position < end, FieldByte.isWhitespace(bytes[position]) { position += 1 }
            let nameStart = position
            while position < end, bytes[position] != UInt8(ascii: ";"), bytes[position] != UInt8(ascii: "=") {
                position += 1
            }
            let name = nameStart..<position
            guard position < end else { break }
            if bytes[position] == UInt8(ascii: ";") { continue }
            position += 1
            guard position < end else { break }
            let value: String?
            if bytes[position] == UInt8(ascii: "\"") {
                value = quoted(bytes, &position, end)
                position = self.end(bytes, position..<end, before: UInt8(ascii: ";"))
            } else {
                let start = position
                position = self.end(bytes, position..<end, before: UInt8(ascii: ";"))
                let written = trimmingEnd(bytes, start..<position, FieldByte.isWhitespace)
                if written.isEmpty { continue }
                value = self.value(bytes, written)
            }
            guard let value, isToken(bytes, name) else { continue }
            let lowercased = lowercased(bytes, name)
            if parameters.count < fewParameters {
                guard !parameters.contains(where: { $0.name == lowercased }) else { continue }
            } else {
                if names.isEmpty { names = Set(parameters.map(\.name)) }
                guard names.insert(lowercased).inserted else { continue }
            }
            parameters.append(MediaType.Parameter(name: lowercased, value: value))
        }
        return parameters
    }

    /// Reads an HTTP quoted string (Fetch, "extract value"), and leaves `position` after it; nil if the value has a
    /// character that is not allowed in a quoted string.
    private static func quoted(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> String? {
        position += 1
        var value: [UInt8] = []
        var isAllowed = true
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            // A backslash escapes the next byte. A backslash that ends the text is an ordinary byte.
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < end { position += 1 }
            isAllowed = isAllowed && FieldByte.isQuotedText(bytes[position])
            value.append(bytes[position])
            position += 1
        }
        if position < end { position += 1 }
        return isAllowed ? String(decoding: value, as: UTF8.self) : nil
    }

    // MARK: Pieces of the bytes

    /// The first position of `byte` in the range, or the end of the range.
    private static func end(_ bytes: Span<UInt8>, _ range: Range<Int>, before byte: UInt8) -> Int {
        var position = range.lowerBound
        while position < range.upperBound, bytes[position] != byte { position += 1 }
        return position
    }

    /// The range without the bytes at its start and end that `isTrimmed` accepts.
    static func trimming(_ bytes: Span<UInt8>, _ range: Range<Int>, _ isTrimmed: (UInt8) -> Bool) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound, isTrimmed(bytes[start]) { start += 1 }
        return trimmingEnd(bytes, start..<range.upperBound, isTrimmed)
    }

    private static func trimmingEnd(_ bytes: Span<UInt8>, _ range: Range<Int>, _ isTrimmed: (UInt8) -> Bool) -> Range<
        Int
    > {
        var end = range.upperBound
        while end > range.lowerBound, isTrimmed(bytes[end - 1]) { end -= 1 }
        return range.lowerBound..<end
    }

    private static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for position in range where !FieldByte.isToken(bytes[position]) { return false }
        return !range.isEmpty
    }

    private static func lowercased(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { buffer in
            for (offset, position) in range.enumerated() { buffer[offset] = FieldByte.lowercased(bytes[position]) }
            return range.count
        }
    }

    /// The bytes as a value; nil if one of them is not allowed in a value.
    private static func value(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        for position in range where !FieldByte.isQuotedText(bytes[position]) { return nil }
        return bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }
}
