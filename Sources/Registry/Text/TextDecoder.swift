/// Turns the bytes of a body into text.
///
/// The charset comes from the byte order mark, else it is the one that the caller insists on, else that of the `charset`
/// parameter, else the default that the caller names (WHATWG Encoding, section 6, "decode"). A charset that cannot be decoded, and bytes that break its rules, are errors.
public enum TextDecoder {
    /// Decodes the whole body, without its byte order mark.
    /// - Parameters:
    ///   - defaultCharset: the label that counts where Content-Type names no charset.
    ///   - charsetOverride: the label that counts whatever Content-Type names; nil for none.
    ///   - lossy: whether U+FFFD stands in for what is malformed, and UTF-8 for a charset that is not known.
    /// - Throws: `TextDecodingError`; never where `lossy` is true.
    public static func decode(
        _ body: ResponseBody, _ contentType: ContentType, defaultCharset: String = "utf-8",
        charsetOverride: String? = nil, lossy: Bool = false
    ) throws(TextDecodingError) -> String {
        try body.withUnsafeBytes { bytes throws(TextDecodingError) in
            if let mark = byteOrderMark(of: bytes) {
                return try decode(bytes, from: mark.length, mark.encoding, lossy: lossy)
            }
            let label = charsetOverride ?? named(contentType) ?? defaultCharset
            if let encoding = TextEncodingName(label: label) {
                return try decode(bytes, from: 0, encoding, lossy: lossy)
            }
            guard lossy else { throw TextDecodingError(.unknownCharset, charset: label) }
            return try decode(bytes, from: 0, .utf8, lossy: true)
        }
    }

    /// The encoding that the first bytes of a body prove, and how many bytes say so (WHATWG Encoding, "BOM sniff").
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
    ) throws(TextDecodingError) -> TextEncodingName {
        let label = charsetOverride ?? named(contentType) ?? defaultCharset
        guard let encoding = TextEncodingName(label: label) else {
            throw TextDecodingError(.unknownCharset, charset: label)
        }
        return encoding
    }

    /// Decodes a part of a body that begins at an offset.
    static func decode(
        _ part: UnsafeRawBufferPointer, at offset: Int, _ encoding: TextEncodingName, lossy: Bool = false
    ) throws(TextDecodingError) -> String {
        do throws(TextDecodingError) {
            return try decode(part, from: 0, encoding, lossy: lossy)
        } catch {
            guard case .malformed(let place) = error.reason else { throw error }
            throw TextDecodingError(.malformed(offset: offset + place), charset: error.charset)
        }
    }

    private static func named(_ contentType: ContentType) -> String? {
        contentType.mediaType?[parameter: "charset"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text from an offset on, in an encoding that is known; an error has its place in all the bytes.
    static func decode(
        _ body: UnsafeRawBufferPointer, from start: Int, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextDecodingError) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: body[start...])
        do throws(TextFault) {
            return switch encoding {
            case .utf8: try UnicodeText.decodeUTF8(bytes, lossy: lossy)
            case .utf16BE: try UnicodeText.decodeUTF16(bytes, isBigEndian: true, lossy: lossy)
            case .utf16LE: try UnicodeText.decodeUTF16(bytes, isBigEndian: false, lossy: lossy)
            // It stands for encodings that would let markup pass unseen: nothing of them is shown.
            case .replacement where lossy || bytes.isEmpty: bytes.isEmpty ? "" : "\u{FFFD}"
            default: try LegacyText.decode(bytes, encoding, lossy: lossy)
            }
        } catch {
            switch error {
            case .malformed(let offset):
                throw TextDecodingError(.malformed(offset: start + offset), charset: encoding.rawValue)
            case .noDecoder: throw TextDecodingError(.undecodableCharset, charset: encoding.rawValue)
            }
        }
    }
}

/// What a decoder of one family reports; `TextDecoder` adds the name of the charset.
enum TextFault: Error {
    case noDecoder
    case malformed(offset: Int)
}
