/// Decodes the encodings in which each byte is a character and the first 128 are ASCII (WHATWG Encoding, section 9).
///
/// The other 128 are a table: our own for windows-1252, by far the commonest, and asked of the C library for the rest.
enum SingleByteText {
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextFault) -> String {
        let table = try upperHalf(of: encoding).map {
            ($0 ?? (lossy ? "\u{FFFD}" : nil)).map { Array(String($0).utf8) }
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 4)
        for (offset, byte) in bytes.enumerated() {
            if byte < 0x80 {
                text.append(byte)
            } else if let character = table[Int(byte) - 0x80] {
                text += character
            } else {
                throw .malformed(offset: offset)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The characters of the bytes 80 to FF; nil for a byte that has none.
    private static func upperHalf(of encoding: TextEncodingName) throws(TextFault) -> [Unicode.Scalar?] {
        switch encoding {
        case .windows1252: return windows1252
        case .userDefined: return (0xF780...0xF7FF).map { Unicode.Scalar(UInt32($0)) }
        default: break
        }
        guard let name = iconvName(of: encoding), let converter = IconvConverter(from: name) else { throw .noDecoder }
        var table = (UInt8(0x80)...0xFF).map { byte in
            // In the pages of Windows a byte without a character is the control of the same number, in the standard's tables.
            converter.scalar(of: byte) ?? (encoding.isWindows && byte < 0xA0 ? Unicode.Scalar(byte) : nil)
        }
        for (byte, scalar) in differences(of: encoding) { table[byte - 0x80] = scalar }
        return table
    }

    private static let windows1252: [Unicode.Scalar?] =
        Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
        + (UInt8(0xA0)...0xFF).map { Unicode.Scalar($0) }

    /// Where the C library's table is not that of the standard.
    private static func differences(of encoding: TextEncodingName) -> KeyValuePairs<Int, Unicode.Scalar> {
        switch encoding {
        case .koi8U: [0xAE: "ў", 0xBE: "Ў"]
        case .macintosh: [0xC6: "∆", 0xDB: "€", 0xF0: "\u{F8FF}"]
        case .macCyrillic: [0xFF: "€"]
        default: [:]
        }
    }

    /// What the C library calls the encoding.
    private static func iconvName(of encoding: TextEncodingName) -> String? {
        switch encoding {
        case .logicalHebrew: "ISO-8859-8"
        case .macintosh: "MACINTOSH"
        case .macCyrillic: "MAC-UK"
        case .windows874: "CP874"
        case _ where encoding.isWindows: "CP" + encoding.rawValue.dropFirst("windows-".count)
        default: encoding.rawValue
        }
    }
}

extension TextEncodingName {
    fileprivate var isWindows: Bool { rawValue.hasPrefix("windows-") }
}
