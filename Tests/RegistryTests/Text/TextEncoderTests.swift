import PatchbayJSON
import PatchbayRegistry
import Testing

@Suite("Texts in the charset of their type") struct TextEncoderTests {
    private static func encode(_ text: String, _ label: String) throws -> [UInt8] {
        let type = try #require(MediaType(parsing: #"text/plain; charset="\#(label)""#))
        return Array(try TextEncoder.encode(text, in: type))
    }

    @Test(
        "every label of UTF-8 is UTF-8, with blanks around it too",
        arguments: [
            "utf-8", "UTF8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8", " utf-8 ",
        ])
    func unicode(_ label: String) throws {
        #expect(try Self.encode("é€", label) == Array("é€".utf8))
    }

    @Test("only the labels of windows-1252 are that", arguments: ["windows-1252", "CP1252", "x-cp1252", " cp1252 "])
    func windows(_ label: String) throws {
        #expect(try Self.encode("a€é", label) == [0x61, 0x80, 0xE9])
    }

    @Test(
        "the labels of ISO 8859-1 have its characters alone",
        arguments: [
            "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "l1", "latin1",
            "cp819",
            "ibm819", "csisolatin1", " L1 ",
        ])
    func latin(_ label: String) throws {
        #expect(try Self.encode("é\u{80}", label) == [0xE9, 0x80])
        #expect(throws: FormatFailure.self) { try Self.encode("€", label) }
    }

    @Test("the labels of ASCII have 128 characters", arguments: ["us-ascii", "ASCII", "ansi_x3.4-1968", " ascii "])
    func ascii(_ label: String) throws {
        #expect(try Self.encode("a\u{7F}", label) == [0x61, 0x7F])
        #expect(throws: FormatFailure.self) { try Self.encode("é", label) }
    }
}
