import PatchbayRegistry
import Testing

/// The encodings before Unicode, against the indexes of the WHATWG Encoding standard.
@Suite struct LegacyTextTests {
    /// The characters of the bytes 80 to FF, `�` for a byte that has none.
    @Test(arguments: [
        (
            TextEncodingName.windows1252,
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
                + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
        ),
        (
            .windows1251,
            "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї"
                + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"
        ),
        (
            .windows1253,
            "€\u{81}‚ƒ„…†‡\u{88}‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}\u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}"
                + "\u{A0}΅Ά£¤¥¦§¨©�«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ�ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ�"
        ),
        (
            .koi8U,
            "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷═║╒ёє╔ії╗╘╙╚╛ґў╞╟╠╡ЁЄ╣ІЇ╦╧╨╩╪ҐЎ©"
                + "юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"
        ),
        (
            .macintosh,
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
                + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
        ),
        (
            .macCyrillic,
            "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ†°Ґ£§•¶І®©™Ђђ≠Ѓѓ∞±≤≥іµґЈЄєЇїЉљЊњјЅ¬√ƒ≈∆«»…\u{A0}ЋћЌќѕ–—“”‘’÷„ЎўЏџ№Ёёя"
                + "абвгдежзийклмнопрстуфхцчшщъыьэю€"
        ),
        (
            .latin9,
            String(String.UnicodeScalarView((0x80...0x9F).compactMap { Unicode.Scalar($0) }))
                + "\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
        ),
        (
            .userDefined, String(String.UnicodeScalarView((0xF780...0xF7FF).compactMap { Unicode.Scalar($0) }))
        ),
    ])
    func upperHalf(_ encoding: TextEncodingName, _ characters: String) throws {
        let expected = Array(characters.unicodeScalars)
        try #require(expected.count == 128)
        for (byte, scalar) in zip(UInt8(0x80)...0xFF, expected) {
            let text = try? Self.decode([0x41, byte], encoding)
            #expect(
                text?.unicodeScalars.map { $0 } == (scalar == "\u{FFFD}" ? nil : ["A", scalar]), "\(encoding) \(byte)")
            let lossy = try Self.decode([byte], encoding, lossy: true)
            #expect(lossy.unicodeScalars.map { $0 } == [scalar], "\(encoding) \(byte)")
        }
    }

    @Test(
        arguments: [
            (TextEncodingName.ibm866, [0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2], "Привет"),
            (.latin2, [0xB1, 0xEA, 0xF3, 0xB6], "ąęóś"),
            (.latin3, [0xA1, 0xE6], "Ħĉ"),
            (.latin4, [0xB1, 0xE0], "ąā"),
            (.cyrillic, [0xBF, 0xE0, 0xD8, 0xD2, 0xD5, 0xE2], "Привет"),
            (.arabic, [0xE5, 0xD1], "مر"),
            (.greek, [0xE1, 0xEB, 0xF6, 0xE1], "αλφα"),
            (.hebrew, [0xF9, 0xEC, 0xE5, 0xED], "שלום"),
            (.logicalHebrew, [0xF9, 0xEC, 0xE5, 0xED], "שלום"),
            (.latin6, [0xBD], "―"),
            (.latin7, [0xE0, 0xFF], "ą’"),
            (.latin8, [0xA1], "Ḃ"),
            (.latin10, [0xA4, 0xAA], "€Ș"),
            (.koi8R, [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
            (.windows874, [0xCA, 0xC7, 0xD1, 0xCA], "สวัส"),
            (.windows1250, [0x9C, 0xB9, 0xB3], "śął"),
            (.windows1254, [0xF0, 0xFD, 0xFE], "ğış"),
            (.windows1255, [0xF9, 0xD1, 0xEC], "ש\u{05C1}ל"),
            (.windows1255, [0xCA], "\u{05BA}"),
            (.windows1256, [0xE3, 0xD1], "مر"),
            (.windows1257, [0xE0, 0xF8], "ąų"),
            (.windows1258, [0xE2, 0xF2], "â\u{0323}"),
            (.gbk, [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
            (.gbk, [0x80, 0x61], "€a"),
            (.gb18030, [0x81, 0x30, 0x81, 0x30, 0x94, 0x39, 0xFC, 0x36], "\u{80}😀"),
            (.gb18030, [0x84, 0x31, 0xA4, 0x37], "\u{FFFD}"),
            (.gb18030, [0xA3, 0xA0, 0x81, 0x35, 0xF4, 0x37, 0xA8, 0xBC], "\u{3000}\u{E7C7}\u{1E3F}"),
            (.gbk, [0xA3, 0xA0, 0xFE, 0x59], "\u{3000}\u{9FB4}"),
            (.big5, [0xA7, 0x41, 0xA6, 0x6E], "你好"),
            (.big5, [0xA1, 0x45, 0xA1, 0x4E, 0xA2, 0x44, 0xA2, 0x46], "‧﹑￥￠"),
            (.big5, [0x88, 0x62, 0x88, 0x64, 0x88, 0xA3, 0x88, 0xA5], "Ê\u{304}Ê\u{30C}ê\u{304}ê\u{30C}"),
            (.big5, [0x87, 0x40, 0x87, 0x45, 0xF9, 0xFE], "\u{43F0}\u{27267}\u{FFED}"),
            (.eucJP, [0xC6, 0xFC, 0xCB, 0xDC, 0x8E, 0xB1], "日本ｱ"),
            (.eucJP, [0xAD, 0xA1, 0xA1, 0xC1, 0xA1, 0xDD, 0x8F, 0xB0, 0xA1], "①～－丂"),
            (.eucJP, [0xF9, 0xA1, 0xFC, 0xEE], "纊黑"),
            (.iso2022JP, [0x1B, 0x28, 0x49, 0x31, 0x1B, 0x28, 0x4A, 0x5C, 0x1B, 0x28, 0x42], "ｱ¥"),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x61], "日本a"),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x2D, 0x21, 0x79, 0x21, 0x21, 0x41, 0x21, 0x5D, 0x1B, 0x28, 0x42], "①纊～－"),
            (.iso2022JP, [0x1B, 0x24, 0x40, 0x30, 0x21, 0x1B, 0x28, 0x4A, 0x7E, 0x1B, 0x28, 0x42, 0x7E], "亜\u{203E}~"),
            (.shiftJIS, [0x93, 0xFA, 0x96, 0x7B, 0xB1, 0x5C, 0x7E], "日本ｱ\\~"),
            (.shiftJIS, [0x81, 0x60, 0x87, 0x40, 0x80], "～①\u{80}"),
            (.eucKR, [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
            (.eucKR, [0x8C, 0x63], "똠"),
        ] as [(TextEncodingName, [UInt8], String)])
    func words(_ encoding: TextEncodingName, _ bytes: [UInt8], _ expected: String) throws {
        let text = try Self.decode(bytes + [0x21], encoding)
        #expect(Array(text.unicodeScalars) == Array((expected + "!").unicodeScalars))
    }

    @Test(
        arguments: [
            (TextEncodingName.latin3, [0x61, 0xA5], 1, "a\u{FFFD}"),
            (.windows1253, [0xD2, 0x61], 0, "\u{FFFD}a"),
            (.windows874, [0x61, 0xDB], 1, "a\u{FFFD}"),
            (.shiftJIS, [0x61, 0x93], 1, "a\u{FFFD}"),
            (.shiftJIS, [0x61, 0xFF, 0x62], 1, "a\u{FFFD}b"),
            (.eucKR, [0xC7, 0xD1, 0xC7], 2, "한\u{FFFD}"),
            (.eucKR, [0xFF, 0x61], 0, "\u{FFFD}a"),
            (.gbk, [0x61, 0xFF, 0x62], 1, "a\u{FFFD}b"),
            (.gb18030, [0x61, 0x81, 0x30, 0x81], 1, "a\u{FFFD}"),
            (.big5, [0xA7, 0x41, 0xA7], 2, "你\u{FFFD}"),
            (.eucJP, [0x61, 0xC6], 1, "a\u{FFFD}"),
            (.shiftJIS, [0x61, 0x81, 0xAD, 0x62], 1, "a\u{FFFD}b"),
            (.shiftJIS, [0x81, 0x3F, 0x81, 0x7F], 0, "\u{FFFD}?\u{FFFD}\u{7F}"),
            (.eucKR, [0x78, 0xA2, 0xE8], 1, "x\u{FFFD}"),
            (.eucKR, [0x61, 0xA2, 0xE8, 0x62, 0x63], 1, "a\u{FFFD}bc"),
            (.eucKR, [0x80, 0xC9, 0x41], 0, "\u{FFFD}\u{FFFD}A"),
            (.gb18030, [0x81, 0x30, 0x61, 0x81, 0x30, 0x81, 0x62], 0, "\u{FFFD}0a\u{FFFD}0\u{4E65}"),
            (.gb18030, [0x61, 0xE3, 0x32, 0x9A, 0x36, 0x62], 1, "a\u{FFFD}b"),
            (.big5, [0x80, 0x81, 0x40, 0xC8, 0xFF], 0, "\u{FFFD}\u{FFFD}@\u{FFFD}"),
            (.eucJP, [0x61, 0xC6, 0xFC, 0xF5, 0xA1], 3, "a日\u{FFFD}"),
            (.eucJP, [0x8E, 0xB1, 0x8F, 0xF5, 0xA1], 2, "ｱ\u{FFFD}"),
            (.eucJP, [0x8F, 0xF3, 0xF3, 0x8F, 0xF4, 0xFE], 0, "\u{FFFD}\u{FFFD}"),
            (.eucJP, [0x61, 0x80, 0x8D, 0x62], 1, "a\u{FFFD}\u{FFFD}b"),
            (.eucJP, [0x8F, 0xA2, 0x61, 0x8F, 0x61, 0x8E, 0xE0], 0, "\u{FFFD}a\u{FFFD}a\u{FFFD}"),
            (.iso2022JP, [0x61, 0xFF, 0x62], 1, "a\u{FFFD}b"),
            (.iso2022JP, [0x61, 0x1B, 0x28, 0x48, 0x62], 1, "a\u{FFFD}(Hb"),
            (.iso2022JP, [0x1B, 0x24, 0x28, 0x44, 0x30, 0x21], 0, "\u{FFFD}$(D0!"),
            (.iso2022JP, [0x61, 0x1B, 0x28, 0x42, 0x1B, 0x28, 0x4A, 0x5C], 4, "a\u{FFFD}¥"),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x30, 0x1B, 0x28, 0x42, 0x61], 3, "\u{FFFD}a"),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x30, 0x0A, 0x30, 0x21], 3, "\u{FFFD}亜"),
            (.iso2022JP, [0x61, 0x0E, 0x1B, 0x28], 1, "a\u{FFFD}\u{FFFD}("),
        ] as [(TextEncodingName, [UInt8], Int, String)])
    func malformed(_ encoding: TextEncodingName, _ bytes: [UInt8], _ offset: Int, _ lossy: String) throws {
        let error = try #require(throws: TextDecodingFailure.self) { try Self.decode(bytes, encoding) }
        #expect(error.reason == .malformed(offset: offset))
        #expect(error.charset == encoding.rawValue)
        #expect(try Self.decode(bytes, encoding, lossy: true) == lossy)
    }

    @Test(arguments: EverySequence.digests) func everySequence(_ encoding: TextEncodingName, _ digest: String) throws {
        var made = TextDigest()
        for body in EverySequence.bodies(of: encoding) { made.add(try Self.decode(body, encoding, lossy: true)) }
        #expect(made.hexadecimal == digest, "\(encoding)")
    }

    @Test func everyEncodingHasADecoder() throws {
        for encoding in TextEncodingName.allCases where encoding != .replacement {
            let bytes = Array("az09 \r\n".utf8)
            let isWide = encoding == .utf16BE || encoding == .utf16LE
            let wide: [UInt8] = bytes.flatMap { encoding == .utf16BE ? [0, $0] : [$0, 0] }
            #expect(try Self.decode(isWide ? wide : bytes, encoding) == "az09 \r\n", "\(encoding)")
        }
    }

    /// Any bytes at all give text or the typed error, and text of a size that goes with theirs.
    @Test(.timeLimit(.minutes(5)), arguments: TextEncodingName.allCases)
    func anyBytes(_ encoding: TextEncodingName) throws {
        var state = UInt64(0x9E37_79B9)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            let text = try Self.decode(bytes, encoding, lossy: true)
            #expect(text.utf8.count <= length * 4 + 64)
            if let strict = try? Self.decode(bytes, encoding) { #expect(strict == text) }
        }
    }

    /// Text that grows to three times its bytes, so that the converter's buffer fills, with a character on each border.
    @Test(.timeLimit(.minutes(5)), arguments: 0..<6)
    func longText(_ shift: Int) throws {
        let word = Array(repeating: [0x93, 0xFA, 0xB1, 0xB2] as [UInt8], count: 100_000).flatMap { $0 }
        let text = try Self.decode(Array(repeating: 0xB3, count: shift * 50_000) + word, .shiftJIS)
        #expect(text == String(repeating: "ｳ", count: shift * 50_000) + String(repeating: "日ｱｲ", count: 100_000))
    }

    @Test(.timeLimit(.minutes(5)), arguments: [TextEncodingName.shiftJIS, .eucKR, .latin3, .windows1253])
    func longMalformedText(_ encoding: TextEncodingName) throws {
        let byte: UInt8 = [.latin3: 0xA5, .windows1253: 0xD2][encoding] ?? 0xFF
        for length in [15, 16, 17, 100_000] {
            let text = try Self.decode(Array(repeating: byte, count: length), encoding, lossy: true)
            #expect(text == String(repeating: "\u{FFFD}", count: length))
        }
    }

    private static func decode(_ bytes: [UInt8], _ encoding: TextEncodingName, lossy: Bool = false) throws -> String {
        try TextDecoder.decode(ResponseBody(bytes), .missing, defaultCharset: encoding.rawValue, lossy: lossy)
    }
}
