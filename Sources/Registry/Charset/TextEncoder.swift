package import PatchbayJSON
package import PatchbayPlatform

/// Encodes a text in the charset of the media type that it is sent in.
package enum TextEncoder {
    /// - Parameter type: nil, and a type without a charset, mean UTF-8.
    /// - Throws: `FormatFailure` if the charset lacks a character or is unknown. It quotes nothing of the text.
    package static func encode(_ text: String, in type: MediaType?) throws(FormatFailure) -> Data {
        guard let label = type?[parameter: "charset"] else { return Data(text.utf8) }
        guard let data = try encode(text, label: label) else {
            throw FormatFailure("text", .encoding, "the text has a character that the charset \(Quoted(label)) lacks")
        }
        return data
    }

    /// Nil where the charset lacks a character.
    private static func encode(_ text: String, label: String) throws(FormatFailure) -> Data? {
        switch label.lowercased() {
        case "utf-8", "utf8": return Data(text.utf8)
        case "us-ascii", "ascii": return text.data(using: .ascii)
        // The characters of ISO-8859-1 itself, although browsers read the label as windows-1252.
        case "iso-8859-1", "latin1": return text.data(using: .isoLatin1)
        case "utf-16": return text.data(using: .utf16)
        case "utf-16le": return text.data(using: .utf16LittleEndian)
        case "utf-16be": return text.data(using: .utf16BigEndian)
        default:
            guard let encoding = TextEncodingName(label: label), let index = EncodingIndex.singleByte(encoding) else {
                throw FormatFailure(
                    "text", .unsupported,
                    "a text cannot be written in the charset \(Quoted(label)); it can be sent as Data")
            }
            return encode(text, index)
        }
    }

    /// WHATWG Encoding, section 9: a byte below 128 is ASCII, and every other one a pointer into the index.
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
