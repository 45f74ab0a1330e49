import PatchbayRegistry
import Testing

/// WHATWG Encoding, section 4.2.
@Suite struct TextEncodingNameTests {
    @Test(
        arguments: [
            ("utf-8", .utf8), ("UTF8", .utf8), ("unicode-1-1-utf-8", .utf8), ("x-unicode20utf8", .utf8),
            ("utf-16", .utf16LE), ("utf-16le", .utf16LE), ("ucs-2", .utf16LE), ("utf-16be", .utf16BE),
            ("unicodefffe", .utf16BE),
            ("us-ascii", .windows1252), ("ascii", .windows1252), ("iso-8859-1", .windows1252), ("latin1", .windows1252),
            ("l1", .windows1252), ("iso_8859-1:1987", .windows1252), ("iso88591", .windows1252),
            ("iso-ir-100", .windows1252),
            ("ansi_x3.4-1968", .windows1252), ("cp1252", .windows1252), ("iso-8859-9", .windows1254),
            ("latin5", .windows1254),
            ("iso_8859-9:1989", .windows1254), ("iso-8859-11", .windows874), ("tis-620", .windows874),
            ("dos-874", .windows874),
            ("latin2", .latin2), ("iso_8859-2:1987", .latin2), ("iso_8859-4:1988", .latin4),
            ("cyrillic", .cyrillic),
            ("asmo-708", .arabic), ("iso-8859-6-e", .arabic), ("greek8", .greek), ("elot_928", .greek),
            ("visual", .hebrew), ("logical", .logicalHebrew), ("iso-8859-8-i", .logicalHebrew), ("l6", .latin6),
            ("iso885913", .latin7), ("l9", .latin9), ("iso-8859-16", .latin10), ("866", .ibm866),
            ("koi", .koi8R),
            ("koi8-ru", .koi8U), ("mac", .macintosh), ("x-mac-ukrainian", .macCyrillic), ("x-cp1250", .windows1250),
            ("gb2312", .gbk), ("chinese", .gbk), ("gbk", .gbk), ("gb18030", .gb18030), ("big5-hkscs", .big5),
            ("cn-big5", .big5),
            ("euc-jp", .eucJP), ("csiso2022jp", .iso2022JP), ("sjis", .shiftJIS), ("windows-31j", .shiftJIS),
            ("ms932", .shiftJIS),
            ("euc-kr", .eucKR), ("ks_c_5601-1987", .eucKR), ("windows-949", .eucKR), ("hz-gb-2312", .replacement),
            ("iso-2022-kr", .replacement), ("x-user-defined", .userDefined),
        ] as [(String, TextEncodingName)])
    func known(_ label: String, _ expected: TextEncodingName) {
        #expect(TextEncodingName(label: label) == expected)
        #expect(TextEncodingName(label: label.uppercased()) == expected)
        #expect(TextEncodingName(label: " \t\r\n\u{C}\(label)\u{C} ") == expected)
    }

    @Test(arguments: [
        "", " ", "utf-7", "utf7", "utf-32", "utf-32le", "utf 8", "utf_8", "utf-8\u{0}", "\u{B}utf-8", "\u{A0}utf-8",
        "\"utf-8\"",
        "iso-8859-12", "iso8859_1", "latin7", "cp437", "ebcdic-us", "scsu", "bocu-1", "binary", "none", "8bit", "ｕtf-8",
        "ſjis",
        "utf-8,utf-8", "utf-8;x", "\u{212A}oi",
    ])
    func unknown(_ label: String) {
        #expect(TextEncodingName(label: label) == nil)
    }

    @Test func everyNameIsALabelOfItself() {
        for name in TextEncodingName.allCases { #expect(TextEncodingName(label: name.rawValue) == name, "\(name)") }
    }

    @Test func longLabel() {
        #expect(TextEncodingName(label: String(repeating: "u", count: 1_000_000)) == nil)
        #expect(TextEncodingName(label: String(repeating: " ", count: 1_000_000) + "utf-8") == .utf8)
    }
}
