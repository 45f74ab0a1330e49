import PatchbayRegistry
import Testing

/// Which charset counts, and what UTF-8 and UTF-16 have to be.
@Suite struct TextDecoderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let contentType: String?
        let fallback: String
        let expected: String

        init(
            _ name: String, _ bytes: [UInt8], _ contentType: String?, or fallback: String = "utf-8",
            gives expected: String
        ) {
            self.name = name
            self.bytes = bytes
            self.contentType = contentType
            self.fallback = fallback
            self.expected = expected
        }

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case("nothing said", Array("grün".utf8), nil, gives: "grün"),
        Case("no charset", Array("grün".utf8), "text/plain", gives: "grün"),
        Case("the default of the entry", [0x67, 0xFC], "text/plain", or: "latin1", gives: "gü"),
        Case("the default, without a type", [0x67, 0xFC], nil, or: "ISO-8859-1", gives: "gü"),
        Case("the parameter before the default", Array("ü".utf8), "text/plain;charset=utf-8", or: "latin1", gives: "ü"),
        Case("the parameter", [0xFC], "text/plain;charset=ISO-8859-1", gives: "ü"),
        Case("the parameter in quotes", [0xFC], "text/plain;charset=\" latin1 \"", gives: "ü"),
        Case("an empty parameter is none", Array("ü".utf8), "text/plain;charset=\"\"", gives: "ü"),
        Case("UTF-8 mark", [0xEF, 0xBB, 0xBF] + Array("ü".utf8), nil, gives: "ü"),
        Case("mark before the parameter", [0xEF, 0xBB, 0xBF, 0xC3, 0xBC], "text/plain;charset=latin1", gives: "ü"),
        Case("mark before an unknown charset", [0xEF, 0xBB, 0xBF, 0x61], "text/plain;charset=utf-7", gives: "a"),
        Case("UTF-16 mark, little", [0xFF, 0xFE, 0xFC, 0x00], "text/plain;charset=utf-8", gives: "ü"),
        Case("UTF-16 mark, big", [0xFE, 0xFF, 0x00, 0xFC], "text/plain;charset=utf-16le", gives: "ü"),
        Case("only a mark", [0xEF, 0xBB, 0xBF], nil, gives: ""),
        Case("a second mark is text", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], nil, gives: "\u{FEFF}"),
        Case("half a mark is no mark", [0xEF, 0xBB], "text/plain;charset=latin1", gives: "ï»"),
        Case("utf-16 is little", [0x61, 0x00, 0xAC, 0x20], "text/plain;charset=utf-16", gives: "a€"),
        Case("utf-16be", [0x00, 0x61, 0x20, 0xAC], "text/plain;charset=utf-16be", gives: "a€"),
        Case("surrogates, little", [0x3D, 0xD8, 0x00, 0xDE], "text/plain;charset=utf-16le", gives: "😀"),
        Case("surrogates, big", [0xD8, 0x3D, 0xDE, 0x00], "text/plain;charset=utf-16be", gives: "😀"),
        Case("no bytes", [], "text/plain;charset=utf-16", gives: ""),
        Case("no bytes, one byte each", [], "text/plain;charset=koi8-r", gives: ""),
        Case("no bytes, several each", [], "text/plain;charset=sjis", gives: ""),
        Case("NUL is text", [0x61, 0x00, 0x62], nil, gives: "a\u{0}b"),
        Case("last scalar", [0xF4, 0x8F, 0xBF, 0xBF], nil, gives: "\u{10FFFF}"),
    ])
    func charset(_ table: Case) throws {
        let contentType = ContentType(rawValues: table.contentType.map { [$0] } ?? [])
        let text = try TextDecoder.decode(ResponseBody(table.bytes), contentType, defaultCharset: table.fallback)
        #expect(text == table.expected)
    }

    @Test(
        arguments: [
            ("lone continuation", "utf-8", [0x61, 0x80], 1, "a\u{FFFD}"),
            ("bad byte", "utf-8", [0x61, 0x62, 0xFF, 0x63], 2, "ab\u{FFFD}c"),
            ("overlong", "utf-8", [0xC0, 0xAF], 0, "\u{FFFD}\u{FFFD}"),
            ("overlong of three", "utf-8", [0x61, 0xE0, 0x80, 0xAF], 1, "a\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("surrogate", "utf-8", [0xED, 0xA0, 0x80], 0, "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("beyond the last scalar", "utf-8", [0xF4, 0x90, 0x80, 0x80], 0, "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("cut off", "utf-8", [0xC3, 0xBC, 0xE2, 0x82], 2, "ü\u{FFFD}"),
            ("Latin-1 for UTF-8", "utf-8", Array("gr".utf8) + [0xFC] + Array("n".utf8), 2, "gr\u{FFFD}n"),
            ("behind a mark", "utf-8", [0xEF, 0xBB, 0xBF, 0x61, 0xFF], 4, "a\u{FFFD}"),
            ("odd byte", "utf-16le", [0x61, 0x00, 0x62], 2, "a\u{FFFD}"),
            ("one byte", "utf-16be", [0x61], 0, "\u{FFFD}"),
            ("odd byte behind a mark", "utf-16le", [0xFF, 0xFE, 0x61, 0x00, 0x62], 4, "a\u{FFFD}"),
            ("lone leading surrogate", "utf-16le", [0x61, 0x00, 0x3D, 0xD8, 0x62, 0x00], 2, "a\u{FFFD}b"),
            ("leading surrogate at the end", "utf-16be", [0x00, 0x61, 0xD8, 0x3D], 2, "a\u{FFFD}"),
            ("lone trailing surrogate", "utf-16be", [0xDE, 0x00, 0x00, 0x61], 0, "\u{FFFD}a"),
            ("surrogates the wrong way round", "utf-16be", [0xDE, 0x00, 0xD8, 0x3D], 0, "\u{FFFD}\u{FFFD}"),
            ("leading surrogate and half a unit", "utf-16le", [0x61, 0x00, 0x3D, 0xD8, 0x00], 2, "a\u{FFFD}"),
            ("trailing surrogate and half a unit", "utf-16le", [0x00, 0xDE, 0x00], 0, "\u{FFFD}\u{FFFD}"),
            ("behind a good pair", "utf-16be", [0xD8, 0x3D, 0xDE, 0x00, 0xDC, 0x00], 4, "😀\u{FFFD}"),
        ] as [(String, String, [UInt8], Int, String)])
    func malformed(_ name: String, _ charset: String, _ bytes: [UInt8], _ offset: Int, _ lossy: String) throws {
        let body = ResponseBody(bytes)
        let type = ContentType(rawValues: ["text/plain;charset=\(charset)"])
        let error = try #require(throws: TextDecodingFailure.self) { try TextDecoder.decode(body, type) }
        #expect(error.reason == .malformed(offset: offset))
        #expect(error.charset == charset.uppercased())
        let text = try TextDecoder.decode(body, type, lossy: true)
        #expect(Array(text.unicodeScalars) == Array(lossy.unicodeScalars))
    }

    @Test(arguments: [
        ("utf-7", "the charset utf-7 is not known", "aü\u{FFFD}"),
        ("UTF-32", "the charset UTF-32 is not known", "aü\u{FFFD}"),
        ("x-unheard-of", "the charset x-unheard-of is not known", "aü\u{FFFD}"),
        ("\"a b\"", "the charset (unreadable label) is not known", "aü\u{FFFD}"),
        ("\"\u{80}\"", "the charset (unreadable label) is not known", "aü\u{FFFD}"),
        (String(repeating: "x", count: 41), "the charset (unreadable label) is not known", "aü\u{FFFD}"),
        ("hz-gb-2312", "text in the charset replacement cannot be decoded here", "\u{FFFD}"),
        ("iso-2022-kr", "text in the charset replacement cannot be decoded here", "\u{FFFD}"),
    ])
    func undecodable(_ charset: String, _ sentence: String, _ lossy: String) throws {
        let body = ResponseBody([0x61, 0xC3, 0xBC, 0xFF])
        let type = ContentType(rawValues: ["text/plain;charset=\(charset)"])
        let error = try #require(throws: TextDecodingFailure.self) { try TextDecoder.decode(body, type) }
        #expect(error.description == "\(sentence); the option charsetOverride can set another")
        #expect(try TextDecoder.decode(body, type, lossy: true) == lossy)
    }

    /// The standard's decoder of "replacement" refuses the first byte; where there is none there is nothing to refuse.
    @Test func replacementOfNothing() throws {
        #expect(try TextDecoder.decode(.empty, .missing, defaultCharset: "iso-2022-kr") == "")
        #expect(try TextDecoder.decode(.empty, .missing, defaultCharset: "iso-2022-kr", lossy: true) == "")
    }

    @Test func unknownDefault() throws {
        let error = try #require(throws: TextDecodingFailure.self) {
            try TextDecoder.decode(.empty, .missing, defaultCharset: "nonsense")
        }
        #expect(error.reason == .unknownCharset)
        #expect(error.charset == "nonsense")
    }

    @Test func sentenceOfMalformedText() throws {
        let error = try #require(throws: TextDecodingFailure.self) {
            try TextDecoder.decode(ResponseBody([0x61, 0xFF]), .invalid)
        }
        #expect(error.description == "the body is not valid UTF-8 at byte 1")
    }
}
