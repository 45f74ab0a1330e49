/// Decodes the encodings in which each byte is a character and the first 128 are ASCII (WHATWG Encoding, section 9).
///
/// The other 128 are a table: our own for windows-1252, by far the commonest, and asked of the C library for the rest.
enum SingleByteText {
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextFault) -> String {
        let table = try upperHalf(of: encoding).map { Unit($0 ?? (lossy ? "\u{FFFD}" : nil)) }
        // Once to learn how long the text is, and once to write it in its place.
        var length = 0
        for (offset, byte) in bytes.enumerated() {
            let width = byte < 0x80 ? 1 : table[Int(byte) - 0x80].width
            guard width > 0 else { throw .malformed(offset: offset) }
            length += width
        }
        return String(unsafeUninitializedCapacity: length) { text in
            var end = 0
            for byte in bytes {
                if byte < 0x80 {
                    text[end] = byte
                    end += 1
                } else {
                    table[Int(byte) - 0x80].write(to: text, at: &end)
                }
            }
            return end
        }
    }

    /// A character in UTF-8, its first byte lowest; of no bytes where there is none.
    private struct Unit {
        let width: Int
        private let bytes: UInt32

        init(_ scalar: Unicode.Scalar?) {
            let encoded = scalar.map { Array(String($0).utf8) } ?? []
            width = encoded.count
            bytes = encoded.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }

        func write(to text: UnsafeMutableBufferPointer<UInt8>, at end: inout Int) {
            var rest = bytes
            for _ in 0..<width {
                text[end] = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                end += 1
            }
        }
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
