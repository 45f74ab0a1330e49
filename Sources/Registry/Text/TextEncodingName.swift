// The underscores stand for the hyphens of the standard's names: "iso885915" could not be read.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text encodings of the web, by the names of the WHATWG Encoding Standard, section 4.2.
public enum TextEncodingName: String, Sendable, Hashable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16BE = "UTF-16BE"
    case utf16LE = "UTF-16LE"
    case ibm866 = "IBM866"
    case latin2 = "ISO-8859-2"
    case latin3 = "ISO-8859-3"
    case latin4 = "ISO-8859-4"
    case cyrillic = "ISO-8859-5"
    case arabic = "ISO-8859-6"
    case greek = "ISO-8859-7"
    case hebrew = "ISO-8859-8"
    case logicalHebrew = "ISO-8859-8-I"
    case latin6 = "ISO-8859-10"
    case latin7 = "ISO-8859-13"
    case latin8 = "ISO-8859-14"
    case latin9 = "ISO-8859-15"
    case latin10 = "ISO-8859-16"
    case koi8R = "KOI8-R"
    case koi8U = "KOI8-U"
    case macintosh
    case windows874 = "windows-874"
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1255 = "windows-1255"
    case windows1256 = "windows-1256"
    case windows1257 = "windows-1257"
    case windows1258 = "windows-1258"
    case macCyrillic = "x-mac-cyrillic"
    case gbk = "GBK"
    case gb18030
    case big5 = "Big5"
    case eucJP = "EUC-JP"
    case iso2022JP = "ISO-2022-JP"
    case shiftJIS = "Shift_JIS"
    case eucKR = "EUC-KR"
    case replacement
    case userDefined = "x-user-defined"

    /// The encoding that a label such as `latin1` means, white space around it and case ignored; nil for an unknown one.
    public init?(label: String) {
        var bytes = label.utf8[...]
        while let first = bytes.first, Self.isWhitespace(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.isWhitespace(last) { bytes.removeLast() }
        // No label is longer than 19 bytes; what a server sends may be.
        guard bytes.count <= 32, let name = Self.labels[FieldByte.lowercased(Substring(bytes))] else { return nil }
        self = name
    }

    /// ASCII whitespace, which has the form feed that HTTP whitespace lacks.
    private static func isWhitespace(_ byte: UInt8) -> Bool { FieldByte.isWhitespace(byte) || byte == 0x0C }
}

extension TextEncodingName: CustomStringConvertible {
    public var description: String { rawValue }
}
