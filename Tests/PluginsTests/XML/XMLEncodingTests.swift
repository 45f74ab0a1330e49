import Foundation
import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Which encoding holds for an XML body (RFC 7303, section 3), and that nothing but UTF-8 gets to libxml2.
@Suite struct XMLEncodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let contentType: String?
        let bytes: [UInt8]

        init(_ name: String, _ contentType: String?, _ bytes: [UInt8]) {
            testDescription = name
            self.contentType = contentType
            self.bytes = bytes
        }

        init(_ name: String, _ contentType: String?, _ text: String) {
            self.init(name, contentType, Array(text.utf8))
        }
    }

    private static let latin =
        Array("<?xml version='1.0' encoding='iso-8859-1'?><a>caf".utf8) + [0xE9] + Array("</a>".utf8)

    @Test(
        "The text is café, however it is encoded",
        arguments: [
            Case("UTF-8 by default", nil, "<a>café</a>"),
            Case("UTF-8 declared", "application/xml", "<?xml version='1.0' encoding='UTF-8'?><a>café</a>"),
            Case("UTF-8 with a byte order mark", "text/xml", "\u{FEFF}<a>café</a>"),
            Case("mark and declaration", nil, "\u{FEFF}<?xml version='1.0' encoding='utf-8'?><a>café</a>"),
            Case(
                "parameter before a lying declaration", "text/xml; charset=utf-8",
                "<?xml version='1.0' encoding='koi8-r'?><a>café</a>"),
            Case("mark before a lying parameter", "text/xml; charset=koi8-r", "\u{FEFF}<a>café</a>"),
            Case("mark before a lying declaration", nil, "\u{FEFF}<?xml version='1.0' encoding='utf-16'?><a>café</a>"),
            Case("UTF-16 little-endian", nil, Sample.utf16("<a>café</a>")),
            Case("UTF-16 big-endian", nil, Sample.utf16("<a>café</a>", bigEndian: true)),
            Case("UTF-16 declared", nil, Sample.utf16("<?xml version='1.0' encoding='UTF-16'?><a>café</a>")),
            Case("Latin-1 declared", "application/xml", latin),
            Case(
                "Latin-1 by parameter", "text/xml; charset=iso-8859-1",
                Array("<a>caf".utf8) + [0xE9] + Array("</a>".utf8)),
            Case(
                "declaration with other spacing", nil,
                "<?xml\tversion = \"1.0\"\n encoding = \"us-ascii\"  standalone='yes' ?><a>caf&#xE9;</a>"),
        ])
    func text(_ test: Case) throws {
        let tree = try XMLDocumentSerializer().serialize(
            ResponseBody(test.bytes), Sample.head(test.contentType))
        #expect(tree.root.text == "café")
    }

    @Test(
        "Bytes that are not what they are said to be are refused before libxml2 sees them",
        arguments: [
            (Case("bad byte in text", nil, Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)), "its bytes are not UTF-8"),
            (Case("bad byte in a name", nil, Array("<a".utf8) + [0xE9] + Array("/>".utf8)), "its bytes are not UTF-8"),
            (
                Case("bad byte in an attribute name", nil, Array("<a ".utf8) + [0xC3] + Array("='1'/>".utf8)),
                "its bytes are not UTF-8"
            ),
            (
                Case("bad byte in a comment", nil, Array("<a><!--".utf8) + [0x80] + Array("--></a>".utf8)),
                "its bytes are not UTF-8"
            ),
            (
                Case("bad byte in an instruction", nil, Array("<?p ".utf8) + [0xC0, 0x80] + Array("?><a/>".utf8)),
                "its bytes are not UTF-8"
            ),
            (
                Case("surrogate in UTF-8", nil, Array("<a>".utf8) + [0xED, 0xA0, 0x80] + Array("</a>".utf8)),
                "its bytes are not UTF-8"
            ),
            (
                Case("Latin-1 labelled UTF-8", "text/xml; charset=utf-8", latin),
                "its bytes are not UTF-8; its declaration names another charset, which the option charsetOverride can set"
            ),
            (
                Case("ASCII that declares UTF-16", nil, "<?xml version='1.0' encoding='UTF-16'?><a/>"),
                "it declares UTF-16, which its bytes are not"
            ),
            (
                Case("UTF-16 without a mark", nil, Array(Sample.utf16("<a/>").dropFirst(2))),
                "it looks like UTF-16 or UTF-32 without a byte order mark"
            ),
            (
                Case("UTF-16 of odd length", nil, Sample.utf16("<a/>") + [0x20]),
                "the body is not valid UTF-16LE at byte 10"
            ),
            (
                Case(
                    "half a surrogate pair", nil,
                    Sample.utf16("<a>") + [0x00, 0xD8] + Sample.utf16("</a>").dropFirst(2)),
                "the body is not valid UTF-16LE at byte 8"
            ),
            (
                Case("unknown charset", "text/xml; charset=klingon", "<a/>"),
                "the charset klingon is not known; the option charsetOverride can set another"
            ),
            (
                Case("unknown declaration", nil, "<?xml version='1.0' encoding='klingon'?><a/>"),
                "the charset klingon is not known; the option charsetOverride can set another"
            ),
            (
                Case("UTF-7", "text/xml; charset=utf-7", "<a/>"),
                "the charset utf-7 is not known; the option charsetOverride can set another"
            ),
        ])
    func refused(_ test: Case, _ reason: String) {
        #expect(throws: XMLFailure(.encoding, reason)) {
            try XMLParserSerializer().serialize(ResponseBody(test.bytes), Sample.head(test.contentType))
        }
    }

    private static let spaces = String(repeating: " ", count: 600)

    @Test(
        "A label that libxml2 would find and nobody else is refused, for trees and parser sources alike",
        arguments: [
            (
                Case("late", nil, "<?xml version=\"1.0\"\(spaces)encoding=\"UTF-7\"?>+ADwAIQ-DOCTYPE a+AD4-<a/>"),
                "its XML declaration does not end within 512 bytes"
            ),
            (
                Case("late, in UTF-16", nil, Sample.utf16("<?xml version='1.0'\(spaces)encoding='UTF-7'?><a/>")),
                "its XML declaration does not end within 512 bytes"
            ),
            (
                Case("behind two marks", nil, "\u{FEFF}\u{FEFF}<?xml version='1.0' encoding='UTF-7'?><a/>"),
                "it has more than one byte order mark"
            ),
        ])
    func hiddenLabels(_ test: Case, _ reason: String) {
        let body = ResponseBody(test.bytes)
        let head = Sample.head(test.contentType)
        #expect(throws: XMLFailure(.encoding, reason)) { try XMLDocumentSerializer().serialize(body, head) }
        #expect(throws: XMLFailure(.encoding, reason)) { try XMLParserSerializer().serialize(body, head) }
    }

    @Test("A declaration may end with the last byte that is looked at, and no later")
    func longestDeclaration() throws {
        func xml(_ length: Int) -> String {
            let start = "<?xml version='1.0'"
            return start + String(repeating: " ", count: length - start.utf8.count - 2) + "?><a/>"
        }
        let serializer = XMLDocumentSerializer()
        #expect(try serializer.serialize(Sample.body(xml(512)), Sample.head(nil)).root.name == "a")
        #expect(throws: XMLFailure(.encoding, "its XML declaration does not end within 512 bytes")) {
            try serializer.serialize(Sample.body(xml(513)), Sample.head(nil))
        }
    }
}
