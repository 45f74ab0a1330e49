import Foundation
import TestSupport
import Testing

@testable import PatchbayJSON

/// Documents that the writer of the tape must read as `Parser` does: keys that look alike, tokens that stand too close, numbers at
/// the limits of a Double's digits, and lines.
@Suite struct TokensTests {
    private static let filler = String(repeating: "x", count: 300)

    /// With a filler, because `Parser` reads short texts.
    private static func expectAgreement(_ text: String) {
        for options in [JSON.ParseOptions(), .init(refusesDuplicateKeys: true)] {
            ParserAgreementTests.expectAgreement(Array("[\"\(filler)\",\(text)]".utf8), options)
            ParserAgreementTests.expectAgreement(Array("\(String(repeating: " ", count: 300))\(text)".utf8), options)
        }
    }

    /// Keys of one length whose first and last eight bytes are equal, short keys, and keys with escapes.
    private static let keys = [
        "", "a", "b", "ab", "1234567", "12345678", "12345678a12345678", "12345678b12345678", #"\u0061"#, "é",
        "long key 1",
        "long key 2",
    ]

    @Test("A repeated key is found behind every sequence of keys, also one that an earlier object had", arguments: keys)
    func repeatedKeys(_ key: String) throws {
        let members = Self.keys.map { #""\#($0)":[{"a":{"\#($0)":0}}]"# }.joined(separator: ",")
        let object = "{\(members)}"
        for repeated in ["{\(members),\"\(key)\":1}", "{\"\(key)\":1,\(members)}", #"{"\#(key)":1,"\#(key)":2}"#] {
            Self.expectAgreement("\(object),\(object),\(repeated),\(object)")
            Self.expectAgreement(#"{"a":\#(object),"b":\#(repeated)}"#)
        }
        let json = try JSON(document: #"[{"k":1,"j":2},{"k":1,"k":2,"\#(Self.filler)":0},{"k":1,"j":2,"j":3}]"#)
        #expect(json.description == #"[{"k":1,"j":2},{"k":2,"\#(Self.filler)":0},{"k":1,"j":3}]"#)
    }

    @Test("Repeated keys are found among more keys, siblings and sequences than are remembered")
    func manySequences() {
        for count in [7, 8, 9, 63, 64, 65, 66, 1_100] {
            let one = "{\((0..<count).map { #""key \#($0)":0"# }.joined(separator: ","))"
            Self.expectAgreement(#"\#(one)},\#(one),"key \#(count - 1)":1}"#)
            let many = (0..<count).map { #"{"key \#($0)":0,"other":{"a":1,"b":2},"key \#($0 / 2)":1}"# }
            Self.expectAgreement((many + many).joined(separator: ","))
        }
    }

    @Test(
        "Tokens that do not fit together are refused",
        arguments: [
            "[[1]", "[1]]", "[1][2]", "{}{}", "[}", "{]", "[1,]", "{\"a\":}", "{\"a\"}", "{\"a\":1,}", "{,}", "[,1]",
            "{\"a\" 1}", "{1:2}", "[\"a\"\"b\"]", "[true\"a\"]", "[1\"a\"]", "[nullx]", "[tru]", "[falsey]", "[nul l]",
            "[\"a\"1]", "[1 2]", "[:]", "[1:2]", "{\"a\",1}", "[[[[", "]", "}", "[\"\\x\"]", "[\"\\ud800\"]", "[1",
            "[\"a",
        ])
    func refused(_ text: String) {
        Self.expectAgreement(text)
        ParserAgreementTests.expectAgreement(Array("[\"\(Self.filler)\",\(text)".utf8))
        ParserAgreementTests.expectAgreement(Array("\(text)\(String(repeating: " ", count: 300))".utf8))
    }

    @Test("A number keeps its text exactly if it has more digits than a Double")
    func digits() {
        for number in [
            "1.23456789012345", "1.234567890123456", "-1.23456789012345", "0.0000000000000000123456",
            "1.0000000000000000",
            "100000000000000000000.0", "123456789012345e5", "1234567890123456e5", "0.000000000000000000000", "-0.0",
            "-0e1",
            "12345678901234567890", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "-0",
        ] {
            for end in ["", " ", "  \n\t", "\r\n                    "] {
                Self.expectAgreement("[\(number)\(end)]")
                Self.expectAgreement(#"{"a":\#(number)\#(end),"b":\#(number)}"#)
            }
        }
    }

    @Test("A long string that is the whole document is read")
    func wholeString() {
        for text in ["\"\(Self.filler)\"", " \"\(Self.filler)\\n\" ", "\"\(Self.filler)\" 1", "\"\(Self.filler)\"\"\""]
        {
            ParserAgreementTests.expectAgreement(Array(text.utf8))
        }
    }

    @Test("Lines are read together with all digits, the sign of zero and each key once")
    func lines() throws {
        let lines = [
            #"{"a":-0,"b":0.30000000000000003}"#, " [1.5] ", "", #"{"a":1,"a":{"b":[],"b":2}}"#, #"["\u00e9\n"]"#, "[]",
        ]
        let text = Array((lines.joined(separator: "\n") + "\n").utf8)
        let padded = text + [UInt8](repeating: UInt8(ascii: "9"), count: JSON.padding)
        let expected = try lines.filter { !$0.isEmpty }.map { try JSON(document: $0).description }
        padded.withUnsafeBytes { bytes in
            var values = JSON.Batch(UnsafeRawBufferPointer(rebasing: bytes[..<text.count]), .init(), .lines)
            #if FastJSON && os(Linux)
                for text in expected {
                    let value = values.next(maximumBytes: 100)
                    #expect(value?.description == text)
                }
                let (count, byteCount) = (values.count, values.byteCount)
                #expect(count == lines.count)
                #expect(byteCount == text.count)
            #endif
            let end = values.next(maximumBytes: 100)
            #expect(end == nil)
        }
    }

    @Test(
        "Elements of an array are read together, up to one that must be read alone",
        arguments: [
            "", ",", ",1", ",\"a\"", ",[1", ",[2}", "[2]", ":[2]", "]", "],[2]", ",,[2]",
            ",[\"\(TokensTests.filler)\"]",
        ])
    func elements(_ rest: String) throws {
        let elements = [#"{"a":-0,"b":[{}]}"#, " [1.5] ", #"{"}]":"[{,"}"#, "[]", #"{"a":1,"a":2}"#, "\n{}"]
        let whole = elements.joined(separator: ",")
        let text = Array((whole + rest).utf8)
        let padded = text + [UInt8](repeating: UInt8(ascii: "]"), count: JSON.padding)
        let expected = try elements.map { try JSON(document: $0).description }
        padded.withUnsafeBytes { bytes in
            var values = JSON.Batch(UnsafeRawBufferPointer(rebasing: bytes[..<text.count]), .init(), .elements)
            #if FastJSON && os(Linux)
                for text in expected {
                    let value = values.next(maximumBytes: 100)
                    #expect(value?.description == text)
                }
                let (count, byteCount) = (values.count, values.byteCount)
                #expect(count == elements.count)
                #expect(byteCount == whole.utf8.count)
            #endif
            let end = values.next(maximumBytes: 100)
            #expect(end == nil)
        }
    }
}
