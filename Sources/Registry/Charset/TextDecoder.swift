public import PatchbayJSON

// From bytes to text (WHATWG Encoding): the charset, and a decoder for each. A new charset needs labels and a case in
// TextEncodingName, and a decoder unless it is a single-byte table.

extension ResponseBody {
    /// The text of the body, without its byte order mark.
    ///
    /// The charset comes from the byte order mark, else from the `charset` parameter of the media type, else it is the
    /// default (WHATWG Encoding, section 6, "decode"). All charsets of the WHATWG Encoding Standard are known.
    /// - Parameters:
    ///   - mediaType: the media type of the response: `head.mediaType`.
    ///   - defaultCharset: the label for a body without another charset.
    ///   - lossy: whether malformed bytes become U+FFFD, and an unknown charset is read as UTF-8.
    /// - Throws: `FormatFailure` of the format `text`, with the offset if there is one; never if `lossy` is true.
    public func text(
        _ mediaType: MediaType? = nil, defaultCharset: String = "utf-8", lossy: Bool = false
    ) throws(FormatFailure) -> String {
        let contentType = mediaType.map(ContentType.mediaType) ?? .missing
        do throws(TextDecodingFailure) {
            return try TextDecoder.decode(self, contentType, defaultCharset: defaultCharset, lossy: lossy)
        } catch {
            throw error.inCode.formatFailure
        }
    }
}

/// Decodes the bytes of a body as text.
///
/// The charset comes from the byte order mark, else from the override, else from the `charset` parameter, else it is
/// the default (WHATWG Encoding, section 6, "decode"). An unsupported charset and malformed bytes are errors.
package enum TextDecoder {
    /// Decodes the whole body, without its byte order mark.
    /// - Parameters:
    ///   - defaultCharset: the label for a Content-Type without a charset.
    ///   - charsetOverride: the label that overrides Content-Type; nil for none.
    ///   - lossy: whether malformed bytes become U+FFFD, and an unknown charset is read as UTF-8.
    /// - Throws: `TextDecodingFailure`; never if `lossy` is true.
    package static func decode(
        _ body: ResponseBody, _ contentType: ContentType, defaultCharset: String = "utf-8",
        charsetOverride: String? = nil, lossy: Bool = false
    ) throws(TextDecodingFailure) -> String {
        try body.withUnsafeBytes { bytes throws(TextDecodingFailure) in
            if let mark = byteOrderMark(of: bytes) {
                return try decode(bytes, from: mark.length, mark.encoding, lossy: lossy)
            }
            let label = charsetOverride ?? named(contentType) ?? defaultCharset
            if let encoding = TextEncodingName(label: label) {
                return try decode(bytes, from: 0, encoding, lossy: lossy)
            }
            guard lossy else { throw TextDecodingFailure(.unknownCharset, charset: label) }
            return try decode(bytes, from: 0, .utf8, lossy: true)
        }
    }

    /// The encoding of a byte order mark, and its length (WHATWG Encoding, "BOM sniff").
    package static func byteOrderMark(
        of bytes: UnsafeRawBufferPointer
    ) -> (encoding: TextEncodingName, length: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        return nil
    }

    /// The encoding of a body without a byte order mark.
    static func encoding(
        of contentType: ContentType, defaultCharset: String, charsetOverride: String?
    ) throws(TextDecodingFailure) -> TextEncodingName {
        let label = charsetOverride ?? named(contentType) ?? defaultCharset
        guard let encoding = TextEncodingName(label: label) else {
            throw TextDecodingFailure(.unknownCharset, charset: label)
        }
        return encoding
    }

    /// Decodes a part of a body. `offset` is the position of the part in the body; the offset of an error counts from
    /// the start of the body.
    static func decode(
        _ part: UnsafeRawBufferPointer, at offset: Int, _ encoding: TextEncodingName, lossy: Bool = false
    ) throws(TextDecodingFailure) -> String {
        do throws(TextDecodingFailure) {
            return try decode(part, from: 0, encoding, lossy: lossy)
        } catch {
            guard case .malformed(let place) = error.reason else { throw error }
            throw TextDecodingFailure(.malformed(offset: offset + place), charset: error.charset)
        }
    }

    private static func named(_ contentType: ContentType) -> String? {
        contentType.mediaType?[parameter: "charset"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Decodes `body` from `start` on. The offset of an error counts from the start of `body`.
    static func decode(
        _ body: UnsafeRawBufferPointer, from start: Int, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextDecodingFailure) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: body[start...])
        do throws(TextFault) {
            return switch encoding {
            case .utf8: try decodeUTF8(bytes, lossy: lossy)
            case .utf16BE: try decodeUTF16(bytes, isBigEndian: true, lossy: lossy)
            case .utf16LE: try decodeUTF16(bytes, isBigEndian: false, lossy: lossy)
            // `replacement` is the encoding of the labels whose text could hide markup from checks, so such bytes are
            // never decoded.
            case .replacement where lossy || bytes.isEmpty: bytes.isEmpty ? "" : "\u{FFFD}"
            default: try decodeLegacy(bytes, encoding, lossy: lossy)
            }
        } catch {
            switch error {
            case .malformed(let offset):
                throw TextDecodingFailure(.malformed(offset: start + offset), charset: encoding.rawValue)
            case .noDecoder: throw TextDecodingFailure(.undecodableCharset, charset: encoding.rawValue)
            }
        }
    }
}

/// The fault of a decoder; `TextDecoder` adds the name of the charset.
enum TextFault: Error {
    case noDecoder
    case malformed(offset: Int)
}

/// The reason that the bytes of a body are not text in their charset.
package struct TextDecodingFailure: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The label is unknown, such as `utf-7`.
        case unknownCharset
        /// The charset is known but not decoded, for safety; browsers refuse it too.
        case undecodableCharset
        /// The bytes are malformed, first at `offset`, counted from 0 at the start of the body.
        case malformed(offset: Int)
    }

    package let reason: Reason
    /// Whether the text is read by an entry, whose option `charsetOverride` can replace the charset.
    package private(set) var isOfEntry = true
    /// The charset: the label if it is unknown, otherwise the name of the encoding. `(unreadable label)` if the label
    /// is not a token or has more than 40 bytes.
    package let charset: String

    /// - Parameter charset: the label of the response, or the name of the encoding.
    package init(_ reason: Reason, charset: String) {
        self.reason = reason
        self.charset = Self.shown(charset)
    }

    /// A label of a response as a sentence shows it.
    package static func shown(_ label: String) -> String {
        FieldByte.isToken(label) && label.utf8.count <= 40 ? label : "(unreadable label)"
    }

    /// The failure of text that code reads, without an entry.
    var inCode: TextDecodingFailure {
        var failure = self
        failure.isOfEntry = false
        return failure
    }
}

extension TextDecodingFailure: FormatFault {
    package var formatFailure: FormatFailure {
        guard case .malformed(let offset) = reason else {
            return FormatFailure(self, "text", .unsupported, description)
        }
        return FormatFailure(self, "text", .encoding, description, offset: offset)
    }
}

extension TextDecodingFailure: CustomStringConvertible {
    package var description: String {
        let advice = isOfEntry ? "; the option charsetOverride can set another" : ""
        return switch reason {
        case .unknownCharset: "the charset \(charset) is not known\(advice)"
        case .undecodableCharset: "text in the charset \(charset) cannot be decoded here\(advice)"
        case .malformed(let offset): "the body is not valid \(charset) at byte \(offset)"
        }
    }
}

// Decodes UTF-8 and UTF-16 (WHATWG Encoding, sections 8 and 14.4). The caller has removed a byte order mark.
extension TextDecoder {
    private static func decodeUTF8(_ bytes: UnsafeRawBufferPointer, lossy: Bool) throws(TextFault) -> String {
        if lossy { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        throw .malformed(offset: firstInvalidUTF8(bytes))
    }

    private static func decodeUTF16(
        _ bytes: UnsafeRawBufferPointer, isBigEndian: Bool, lossy: Bool
    ) throws(TextFault) -> String {
        let count = bytes.count / 2
        let units = [UInt16](unsafeUninitializedCapacity: count) { units, written in
            for index in 0..<count {
                let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                units[index] = isBigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
            }
            written = count
        }
        let isOdd = bytes.count % 2 == 1
        if lossy {
            // A high surrogate at the end and an odd byte after it count as one error.
            let isReplaced = units.last.map(UTF16.isLeadSurrogate) ?? false
            return String(decoding: units, as: UTF16.self) + (isOdd && !isReplaced ? "\u{FFFD}" : "")
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw .malformed(offset: firstLoneSurrogate(units) * 2)
        }
        guard !isOdd else { throw .malformed(offset: bytes.count - 1) }
        return text
    }

    /// The position of the first malformed UTF-8 sequence.
    private static func firstInvalidUTF8(_ bytes: UnsafeRawBufferPointer) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .valid(let sequence) = parser.parseScalar(from: &iterator) { offset += sequence.count }
        return offset
    }

    private static func firstLoneSurrogate(_ units: [UInt16]) -> Int {
        var index = 0
        while index < units.count, !UTF16.isTrailSurrogate(units[index]) {
            guard UTF16.isLeadSurrogate(units[index]) else {
                index += 1
                continue
            }
            guard index + 1 < units.count, UTF16.isTrailSurrogate(units[index + 1]) else { break }
            index += 2
        }
        return index
    }
}

/// A hash of a list of texts: FNV-1a, 64 bits. It is no protection against forgery.
package struct TextDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // UTF-8 never contains this byte, so it separates the texts.
        add(0xFF)
    }

    package var hexadecimal: String { state.hexadecimal }

    private mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
