/// Decodes the encodings of East Asia with the converters of the C library (WHATWG Encoding, sections 10 to 13).
enum MultiByteText {
    static func decode(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextFault) -> String {
        guard let name = iconvName(of: encoding), let converter = IconvConverter(from: name) else { throw .noDecoder }
        if encoding == .eucJP, !lossy, let offset = firstUserDefined(bytes) { throw .malformed(offset: offset) }
        return try converter.decode(bytes) { offset throws(TextFault) in
            if let scalar = scalar(of: bytes[offset], in: encoding) { return scalar }
            guard lossy else { throw .malformed(offset: offset) }
            return "\u{FFFD}"
        }
    }

    /// The C library's name for the superset that browsers mean by the name of the standard.
    private static func iconvName(of encoding: TextEncodingName) -> String? {
        switch encoding {
        case .gbk, .gb18030: "GB18030"
        case .big5: "BIG5-HKSCS"
        case .eucJP: "EUC-JP-MS"
        case .iso2022JP: "ISO-2022-JP-3"
        case .shiftJIS: "CP932"
        case .eucKR: "CP949"
        default: nil
        }
    }

    /// Where EUC-JP has the first character of the rows 85 to 94, which the C library keeps for private use.
    private static func firstUserDefined(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset < bytes.count {
            let set = bytes[offset]
            let row = set == 0x8F && offset + 1 < bytes.count ? bytes[offset + 1] : set
            if row >= 0xF5 && row <= 0xFE { return offset }
            offset += set < 0x80 ? 1 : set == 0x8F ? 3 : 2
        }
        return nil
    }

    /// A byte that the C library refuses and the standard has a character for.
    private static func scalar(of byte: UInt8, in encoding: TextEncodingName) -> Unicode.Scalar? {
        switch (encoding, byte) {
        case (.gbk, 0x80), (.gb18030, 0x80): "€"
        case (.shiftJIS, 0x80): "\u{80}"
        default: nil
        }
    }
}
