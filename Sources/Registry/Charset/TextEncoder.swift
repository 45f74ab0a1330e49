package import PatchbayJSON
package import PatchbayPlatform

/// Encodes a text in the charset of its media type.
package enum TextEncoder {
    /// - Parameter type: nil, and a type without a charset, mean UTF-8.
    /// - Throws: `FormatFailure` if the charset lacks a character or is unknown. The failure does not quote the text.
    package static func encode(_ text: String, in type: MediaType?) throws(FormatFailure) -> Data {
        guard let label = type?[parameter: "charset"] else { return Data(text.utf8) }
        guard let data = try encode(text, label: label) else {
            throw FormatFailure("text", .encoding, "the text has a character that the charset \(Quoted(label)) lacks")
        }
        return data
    }

    /// Nil if the charset lacks a character.
    private static func encode(_ text: String, label: String) throws(FormatFailure) -> Data? {
        let name = TextEncodingName.canonical(label)
        let encoding = TextEncodingName(label: label)
        switch (name, encoding) {
        case (_, .utf8): return Data(text.utf8)
        case ("us-ascii", _), ("ascii", _), ("ansi_x3.4-1968", _): return text.data(using: .ascii)
        case ("utf-16", _): return text.data(using: .utf16)
        case ("utf-16le", _): return text.data(using: .utf16LittleEndian)
        case ("utf-16be", _): return text.data(using: .utf16BigEndian)
        // The labels of ISO-8859-1 mean ISO-8859-1 here, although browsers read them as windows-1252.
        case (_, .windows1252) where !["windows-1252", "cp1252", "x-cp1252"].contains(name):
            return text.data(using: .isoLatin1)
        default:
            guard let encoding, let index = EncodingIndex.singleByte(encoding) else {
                throw FormatFailure(
                    "text", .unsupported,
                    "a text cannot be written in the charset \(Quoted(label)); it can be sent as Data")
            }
            return encode(text, index)
        }
    }

    /// WHATWG Encoding, section 9: a byte below 128 is ASCII, and every other byte a pointer into the index.
    private static func encode(_ text: String, _ index: EncodingIndex) -> Data? {
        var bytes: [UInt32: UInt8] = [:]
        for pointer in 0..<128 {
            let character = index[pointer]
            if character != .replacement { bytes[character.bytes] = UInt8(128 + pointer) }
        }
        var data = Data(capacity: text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = scalar.isASCII ? UInt8(scalar.value) : bytes[UTF8Character(scalar.value).bytes] else {
                return nil
            }
            data.append(byte)
        }
        return data
    }
}

extension MediaType {
    /// - Throws: `FormatFailure` if the `charset` parameter is not a label of UTF-8 (WHATWG Encoding Standard).
    package func requireUTF8(_ format: String) throws(FormatFailure) {
        guard let label = self[parameter: "charset"], TextEncodingName(label: label) != .utf8 else { return }
        throw FormatFailure(format, .encoding, "it is always written in UTF-8, not in \(Quoted(label))")
    }
}
