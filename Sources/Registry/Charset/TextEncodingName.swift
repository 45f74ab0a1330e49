/// The text encodings of the web, by the names of the WHATWG Encoding Standard, section 4.2.
package enum TextEncodingName: String, Sendable, Hashable, CaseIterable {
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

    /// The encoding of a label such as `latin1`; nil for an unknown label. Surrounding white space and case do not
    /// matter.
    package init?(label: String) {
        guard let name = Self.labels[Self.canonical(label)] else { return nil }
        self = name
    }

    /// The label in lower case and without surrounding white space; empty if this result would have more than 32 bytes.
    static func canonical(_ label: String) -> String {
        var bytes = label.utf8[...]
        while let first = bytes.first, isWhitespace(first) { bytes.removeFirst() }
        while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
        // The longest known label has 19 bytes. A label from a server can be longer.
        return bytes.count <= 32 ? FieldByte.lowercased(Substring(bytes)) : ""
    }

    /// ASCII whitespace: HTTP whitespace and the form feed.
    private static func isWhitespace(_ byte: UInt8) -> Bool { FieldByte.isWhitespace(byte) || byte == 0x0C }
}

extension TextEncodingName: CustomStringConvertible {
    package var description: String { rawValue }
}

extension TextEncodingName {
    static let labels: [String: TextEncodingName] = allCases.reduce(into: [:]) { labels, name in
        for label in name.ownLabels.split(separator: " ") { labels[String(label)] = name }
    }

    /// The labels of the encoding, separated by spaces (WHATWG Encoding, section 4.2).
    private var ownLabels: String {
        switch self {
        case .utf8: "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"
        case .utf16BE: "unicodefffe utf-16be"
        case .utf16LE: "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"
        case .ibm866: "866 cp866 csibm866 ibm866"
        case .latin2: Self.iso8859(2, "101", year: 1987) + " csisolatin2 l2 latin2"
        case .latin3: Self.iso8859(3, "109", year: 1988) + " csisolatin3 l3 latin3"
        case .latin4: Self.iso8859(4, "110", year: 1988) + " csisolatin4 l4 latin4"
        case .cyrillic: Self.iso8859(5, "144", year: 1988) + " csisolatincyrillic cyrillic"
        case .arabic:
            Self.iso8859(6, "127", year: 1987)
                + " arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i"
        case .greek:
            Self.iso8859(7, "126", year: 1987) + " csisolatingreek ecma-118 elot_928 greek greek8 sun_eu_greek"
        case .hebrew:
            Self.iso8859(8, "138", year: 1988) + " csiso88598e csisolatinhebrew hebrew iso-8859-8-e visual"
        case .logicalHebrew: "csiso88598i iso-8859-8-i logical"
        case .latin6: "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"
        case .latin7: "iso-8859-13 iso8859-13 iso885913"
        case .latin8: "iso-8859-14 iso8859-14 iso885914"
        case .latin9: "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"
        case .latin10: "iso-8859-16"
        case .koi8R: "cskoi8r koi koi8 koi8-r koi8_r"
        case .koi8U: "koi8-ru koi8-u"
        case .macintosh: "csmacintosh mac macintosh x-mac-roman"
        case .windows874: "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"
        case .windows1250: Self.windows(1250)
        case .windows1251: Self.windows(1251)
        case .windows1252:
            Self.iso8859(1, "100", year: 1987) + " " + Self.windows(1252)
                + " ansi_x3.4-1968 ascii cp819 csisolatin1 ibm819 l1 latin1 us-ascii"
        case .windows1253: Self.windows(1253)
        case .windows1254: Self.iso8859(9, "148", year: 1989) + " " + Self.windows(1254) + " csisolatin5 l5 latin5"
        case .windows1255: Self.windows(1255)
        case .windows1256: Self.windows(1256)
        case .windows1257: Self.windows(1257)
        case .windows1258: Self.windows(1258)
        case .macCyrillic: "x-mac-cyrillic x-mac-ukrainian"
        case .gbk: "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"
        case .gb18030: "gb18030"
        case .big5: "big5 big5-hkscs cn-big5 csbig5 x-x-big5"
        case .eucJP: "cseucpkdfmtjapanese euc-jp x-euc-jp"
        case .iso2022JP: "csiso2022jp iso-2022-jp"
        case .shiftJIS: "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"
        case .eucKR:
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
        case .replacement: "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"
        case .userDefined: "x-user-defined"
        }
    }

    /// The common spellings of the older parts of ISO/IEC 8859.
    private static func iso8859(_ part: Int, _ registration: String, year: Int) -> String {
        "iso-8859-\(part) iso8859-\(part) iso8859\(part) iso_8859-\(part) iso_8859-\(part):\(year) iso-ir-\(registration)"
    }

    private static func windows(_ page: Int) -> String { "cp\(page) windows-\(page) x-cp\(page)" }
}
