package enum ContentType: Sendable, Hashable {
    /// There is no Content-Type field.
    case missing
    /// There are fields, but none has a valid media type.
    case invalid
    case mediaType(MediaType)

    /// Reads every Content-Type field of a message by the rules of Fetch, section 2.2.2, "extract a MIME type".
    package init(_ fields: HeaderFields) {
        if let value = fields.onlyValue(for: "Content-Type") {
            self.init(value)
        } else {
            self.init(rawValues: fields.values(for: "Content-Type"))
        }
    }

    /// Reads the values of the Content-Type fields, in the order received.
    ///
    /// The last media type is used, and inherits the `charset` of the previous one if both have the same essence. `*/*`
    /// is ignored.
    package init(rawValues: [String]) {
        guard !rawValues.isEmpty else {
            self = .missing
            return
        }
        self.init(rawValues.joined(separator: ", "))
    }

    private init(_ value: String) {
        // Most responses with a small body have this type without parameters.
        guard value != MediaType.json.essence else {
            self = .mediaType(.json)
            return
        }
        var value = value
        self = value.withUTF8 { Self.extract($0.span) }.map(ContentType.mediaType) ?? .invalid
    }

    /// The media type; nil if it is missing or invalid.
    package var mediaType: MediaType? {
        if case .mediaType(let type) = self { type } else { nil }
    }

    /// The media types of a list, such as `Accept-Post`, in order. Of several types with one essence, only the first is
    /// kept. Invalid members are left out.
    package static func list(_ rawValues: [String]) -> [MediaType] {
        var value = rawValues.joined(separator: ",")
        return value.withUTF8 { text in
            var (types, seen, position) = ([MediaType](), Set<String>(), 0)
            while position <= text.count {
                let end = endOfValue(text.span, from: position)
                let item = MediaType.trimming(text.span, position..<end, FieldByte.isBlank)
                if let type = MediaType.parse(text.span, item), seen.insert(type.essence).inserted {
                    types.append(type)
                }
                position = end + 1
            }
            return types
        }
    }

    private static func extract(_ bytes: Span<UInt8>) -> MediaType? {
        var extracted: MediaType?
        var charset: String?
        var position = 0
        while position <= bytes.count {
            let end = endOfValue(bytes, from: position)
            let value = MediaType.trimming(bytes, position..<end, FieldByte.isBlank)
            position = end + 1
            guard let parsed = MediaType.parse(bytes, value), parsed.essence != "*/*" else { continue }
            // Nearly every response has one media type.
            if extracted == nil, position > bytes.count { return parsed }
            if parsed.essence != extracted?.essence { charset = nil }
            if let own = parsed[parameter: "charset"] {
                charset = own
                extracted = parsed
            } else if let charset {
                extracted = parsed.adding(MediaType.Parameter(name: "charset", value: charset))
            } else {
                extracted = parsed
            }
        }
        return extracted
    }

    /// The next comma outside quotes, or the end (Fetch, "get, decode, and split").
    private static func endOfValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        var isQuoted = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\") where isQuoted: position += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: return position
            default: break
            }
            position += 1
        }
        return bytes.count
    }
}

extension ContentType: CustomStringConvertible {
    /// The media type, or words for a missing or invalid one.
    package var description: String {
        switch self {
        case .missing: "no Content-Type"
        case .invalid: "an invalid Content-Type"
        case .mediaType(let type): type.description
        }
    }
}

/// The kinds of bytes in header values (RFC 9110, section 5.6; WHATWG MIME Sniffing, section 3).
///
/// The functions for single bytes are inlinable: in loops of other modules, a call would cost more than the test.
@usableFromInline
package enum FieldByte {
    /// An HTTP token code point, as in names, types and unquoted values.
    @inlinable
    package static func isToken(_ byte: UInt8) -> Bool {
        // Letters, digits and !#$%&'*+-.^_`|~: one bit for each byte below 0x40, and for each from there on. Every byte
        // of a name is looked up here, and two numbers need no branches.
        let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 0x80 && (bits &>> UInt64(byte)) & 1 == 1
    }

    /// A byte of an HTTP quoted-string token code point: tab, space to tilde, U+0080 to U+00FF.
    ///
    /// In UTF-8 the code points from U+0080 to U+00FF begin with C2 or C3; a byte from C4 up begins a code point above
    /// U+00FF.
    package static func isQuotedText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte <= 0x7E) || (byte >= 0x80 && byte <= 0xC3)
    }

    /// A byte that a field value can have: every byte but the controls, of which tab is allowed (RFC 9110, section 5.5).
    @inlinable
    package static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 ? byte != 0x7F : byte == 0x09 }

    /// HTTP tab or space.
    @inlinable
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// HTTP whitespace: tab, space, CR, LF.
    package static func isWhitespace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0A || byte == 0x0D }

    /// An ASCII letter or digit.
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    @inlinable
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The text with its ASCII letters in lower case; other letters are unchanged.
    package static func lowercased(_ text: some StringProtocol) -> String {
        let bytes = text.utf8
        guard bytes.contains(where: { $0 != lowercased($0) }) else { return String(text) }
        return String(decoding: bytes.map { lowercased($0) }, as: UTF8.self)
    }

    /// Whether the text is an HTTP token: not empty, token code points only.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isToken($0) }
    }

    /// `isToken` for callers in other modules, where the generic function would not be specialised.
    package static func isToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { !$0.isEmpty && $0.allSatisfy { isToken($0) } }
    }
}
