import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// What a body of parts is in bytes (RFC 2046, section 5.1.1).
@Suite("Parts of a multipart body", .timeLimit(.minutes(5))) struct MultipartPartsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// The header fields and the body of each.
        let parts: [(String, String)]
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ parts: [(String, String)]) {
            self.name = name
            self.text = text
            self.parts = parts
        }
    }

    static let rows = [
        Row("one part", "--b\r\nA: 1\r\n\r\none\r\n--b--\r\n", [("A: 1", "one")]),
        Row("two parts", "--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--", [("", "one"), ("", "two")]),
        Row("line feeds alone", "--b\nA: 1\nB: 2\n\none\n--b\n\ntwo\n--b--\n", [("A: 1|B: 2", "one"), ("", "two")]),
        Row(
            "preamble and epilogue", "no --b\r\n-- b\r\n--b\r\n\r\none\r\n--b--\r\nno\r\n--b\r\n\r\nno\r\n--b--",
            [("", "one")]),
        Row("a preamble that is an empty line", "\r\n--b\r\n\r\none\r\n--b--", [("", "one")]),
        Row(
            "blanks behind a boundary", "--b \t \r\n\r\none\r\n--b\t\n\r\ntwo\r\n--b-- \r\n",
            [("", "one"), ("", "two")]),
        Row("an empty body", "--b\r\nA: 1\r\n\r\n\r\n--b--", [("A: 1", "")]),
        Row(
            "a boundary at once behind the header", "--b\r\nA: 1\r\n\r\n--b\r\nB: 2\r\n--b--",
            [("A: 1", ""), ("B: 2", "")]),
        Row("nothing between boundaries", "--b\r\n--b\r\n\r\n--b--", [("", ""), ("", "")]),
        Row("no part", "--b--", []),
        Row("line ends in a body", "--b\r\n\r\n\r\none\r\n\ntwo\r\r\n\r\n--b--", [("", "\r\none\r\n\ntwo\r\r\n")]),
        Row("a CR alone before a line feed is of the line end", "--b\n\none\r\n--b--", [("", "one")]),
        Row(
            "what looks like a boundary",
            "--b\r\n\r\n--bb\r\n--b-\r\n--b x\r\n--b\rx\r\n --b\r\n-b\r\nx--b\r\n--b\t\t\r\r\n--\r\n--b--",
            [("", "--bb\r\n--b-\r\n--b x\r\n--b\rx\r\n --b\r\n-b\r\nx--b\r\n--b\t\t\r\r\n--")]),
        Row("what looks like it over and over", "--b\r\n\r\n\n\n--\n--\n--b-\n\n--b--", [("", "\n\n--\n--\n--b-\n")]),
        Row("a header over two lines", "--b\r\nA: 1\r\n  2\r\nB:3 \r\n\r\n.\r\n--b--", [("A: 1 2|B: 3", ".")]),
        Row("headers in UTF-8", "--b\r\nA: 雪\r\n\r\n雪\r\n--b--", [("A: 雪", "雪")]),
        Row("a field of no value, and one of a colon", "--b\r\nA:\r\nB: :\r\n\r\n.\r\n--b--", [("A: |B: :", ".")]),
    ]

    private let head = Sample.head("multipart/mixed; boundary=b")

    private static func written(_ part: ResponsePart) -> String {
        part.fields.map { "\($0.name): \($0.value)" }.joined(separator: "|") + "\n"
            + String(decoding: part.body.data, as: UTF8.self)
    }

    @Test("a body has these parts, wherever it is cut", arguments: rows)
    func bodies(_ row: Row) throws {
        let expected = row.parts.map { "\($0)\n\($1)" }
        #expect(
            try MultipartPartsSerializer().serialize(Sample.body(row.text), head).map(Self.written) == expected)
        let bytes = Array(row.text.utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var parser = try MultipartPartsSerializer().makeParser(head, maximumElementBytes: .max)
                var parts: [String] = []
                try parser.parse(Array(bytes[..<first])) { parts.append(Self.written($0)) }
                try parser.parse(Array(bytes[first..<second])) { parts.append(Self.written($0)) }
                try parser.parse(Array(bytes[second...])) { parts.append(Self.written($0)) }
                try parser.finish { parts.append(Self.written($0)) }
                guard parts == expected else {
                    Issue.record("cut at \(first) and \(second): \(parts)")
                    return
                }
            }
        }
    }

    @Test(
        "the boundary is the parameter of Content-Type, whatever the subtype is",
        arguments: [
            ("multipart/form-data; boundary=\"a b:c\"", "a b:c"),
            ("multipart/x; charset=utf-8; boundary=----WebKit1", "----WebKit1"),
            ("multipart/mixed; boundary=-", "-"),
            ("multipart/mixed; boundary=" + String(repeating: "b", count: 70), String(repeating: "b", count: 70)),
        ])
    func boundary(_ contentType: String, _ boundary: String) throws {
        let parts = try MultipartPartsSerializer().serialize(
            Sample.body("--\(boundary)\r\n\r\none\r\n--\(boundary)--"), Sample.head(contentType))
        #expect(parts.map(Self.written) == ["\none"])
    }

    @Test("a form's fields have names, file names and types")
    func form() throws {
        let body = """
            --b\r
            Content-Disposition: form-data; name="title"\r
            \r
            Tea\r
            --b\r
            Content-Disposition: form-data; name="photo"; filename="雪 %22x%22.png"\r
            Content-Type: image/png\r
            \r
            \u{1}\r
            --b--\r

            """
        let parts = try MultipartPartsSerializer().serialize(
            Sample.body(body), Sample.head("multipart/form-data; boundary=b"))
        #expect(parts.map(\.name) == ["title", "photo"])
        #expect(parts.map(\.fileName) == [nil, "雪 \"x\".png"])
        #expect(parts.map(\.mediaType.essence) == ["text/plain", "image/png"])
    }

    struct Encoded: Sendable, CustomTestStringConvertible {
        let name: String
        let encoding: String
        let text: String
        let body: String
        var type = "application/json"
        var testDescription: String { name }
    }

    static let encoded = [
        Encoded(name: "base64", encoding: "base64", text: "eyJhIjoxfQ==", body: #"{"a":1}"#),
        Encoded(name: "in lines", encoding: "base64", text: "eyJh\r\nIjox\r\nfQ==\r\n", body: #"{"a":1}"#),
        Encoded(name: "in lines of LF", encoding: "BASE64 ", text: "eyJh\nIjox\nfQ==\n", body: #"{"a":1}"#),
        Encoded(name: "without padding", encoding: "Base64", text: "eyJhIjoxfQ", body: #"{"a":1}"#),
        Encoded(name: "one pad", encoding: "base64", text: "YWI=", body: "ab"),
        Encoded(name: "no pad is due", encoding: "base64", text: "YWJj", body: "abc"),
        Encoded(name: "other characters", encoding: "base64", text: "Y*W-J_\t.j\u{E9}", body: "abc"),
        Encoded(name: "text after the padding", encoding: "base64", text: "YWI=\r\n-- a footer", body: "ab"),
        Encoded(name: "every kind of character", encoding: "base64", text: "+/+/09az", body: "\u{FFFD}"),
        Encoded(name: "no bytes", encoding: "base64", text: "", body: ""),
        Encoded(name: "white space", encoding: "base64", text: "\r\n \t", body: ""),
        Encoded(name: "quoted-printable", encoding: "Quoted-Printable", text: "caf=C3=A9 =3D 1", body: "café = 1"),
        Encoded(name: "lower case", encoding: "quoted-printable", text: "caf=c3=a9", body: "café"),
        Encoded(
            name: "joined lines", encoding: "quoted-printable",
            text: "one=\r\n two= \t\r\n three=\n four\r\nfive\nsix=",
            body: "one two three four\r\nfive\nsix"),
        Encoded(
            name: "blanks at the ends of lines", encoding: "quoted-printable", text: "one \t\r\ntwo=20\r\nthree  ",
            body: "one\r\ntwo \r\nthree"),
        Encoded(
            name: "what begins no escape", encoding: "quoted-printable", text: "a=b =4 =\tc =GG=3D=",
            body: "a=b =4 =\tc =GG="),
        Encoded(name: "a CR alone", encoding: "quoted-printable", text: "a\rb", body: "a\rb"),
        Encoded(name: "7bit", encoding: "7bit", text: "YWI= =3D", body: "YWI= =3D"),
        Encoded(name: "8bit", encoding: "8BIT", text: "é=3D", body: "é=3D"),
        Encoded(name: "binary", encoding: "binary", text: "\u{0}YWI=", body: "\u{0}YWI="),
        Encoded(name: "a field without a value", encoding: "", text: "YWI=", body: "YWI="),
        Encoded(name: "a comment", encoding: "base64 (as ever)", text: "YWI=", body: "ab"),
        Encoded(name: "a parameter", encoding: "base64; x=1", text: "YWI=", body: "ab"),
        Encoded(
            name: "an unknown encoding", encoding: "x-uuencode", text: "YWI= =3D", body: "YWI= =3D",
            type: "application/octet-stream"),
        Encoded(
            name: "two encodings", encoding: "base64, base64", text: "YWI=", body: "YWI=",
            type: "application/octet-stream"),
    ]

    @Test("the encoding of a part is undone (RFC 2045, section 6)", arguments: encoded)
    func encodings(_ row: Encoded) throws {
        let body =
            "--b\r\nContent-Type: application/json\r\ncontent-transfer-encoding: \(row.encoding)\r\n\r\n\(row.text)\r\n--b--"
        for subtype in ["mixed", "form-data", "related"] {
            let parts = try MultipartPartsSerializer().serialize(
                Sample.body(body), Sample.head("multipart/\(subtype); boundary=b"))
            let part = try #require(parts.first)
            let text = String(decoding: part.body.data, as: UTF8.self)
            #expect(
                row.body == "\u{FFFD}"
                    ? Array(part.body.data) == [0xFB, 0xFF, 0xBF, 0xD3, 0xD6, 0xB3] : text == row.body)
            #expect("\(part.mediaType)" == row.type)
            #expect(part.fields["Content-Transfer-Encoding"] == row.encoding.trimmingCharacters(in: .whitespaces))
        }
    }

    @Test(
        "a part that is not base64 as it says is an error, after the parts before it",
        arguments: ["!!!", "====", "YWJjY", "-\r\n-", "{}", "é"])
    func notBase64(_ text: String) throws {
        let body =
            "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nYWI=\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\n\(text)\r\n--b--"
        let (count, error) = try outcome(Array(body.utf8), pieceBytes: 7, limit: .max)
        #expect(count == 1)
        #expect(error == "the parts were refused: part 2 is not base64, as its header says")
        let failure = #expect(throws: FormatFailure.self) {
            try MultipartPartsSerializer().serialize(Sample.body(body), head)
        }
        #expect(failure?.code == .malformed)
    }

    @Test("any bytes come back from base64 and from quoted-printable, wherever a line is cut")
    func anyBytes() throws {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
            let base64 = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
            let escapes = bytes.map { "=" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            let quoted = escapes.enumerated().map { $1 + ($0 % 20 == 19 ? "=\r\n" : "") }.joined()
            for (encoding, text) in [("base64", base64), ("quoted-printable", quoted)] {
                let body = "--b\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\n\(text)\r\n--b--"
                let parts = try MultipartPartsSerializer().serialize(Sample.body(body), head)
                #expect(parts.map { Array($0.body.data) } == [bytes], "\(encoding) \(length)")
            }
        }
    }

    @Test("any bytes are a body")
    func bytes() throws {
        let body = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = Array("--b\r\n\r\n".utf8) + body + Array("\r\n--b--".utf8)
        let parts = try MultipartPartsSerializer().serialize(ResponseBody(whole), head)
        #expect(parts.map { Array($0.body.data) } == [body])
    }

    @Test("a part is there with the end of the line of the boundary behind it, and the last one with its hyphens")
    func prompt() throws {
        var parser = try MultipartPartsSerializer().makeParser(head, maximumElementBytes: .max)
        var count = 0
        for (piece, expected) in [("--b\r\n\r\none\r\n--b", 0), ("\r", 0), ("\n", 1), ("\r\ntwo\r\n--b-", 1), ("-", 2)]
        {
            #expect(!parser.isFinished)
            try parser.parse(Array(piece.utf8)) { _ in count += 1 }
            #expect(count == expected)
        }
        #expect(parser.isFinished)
    }

    @Test(
        "the parts before an error are given",
        arguments: [
            ("--b\r\n\r\none\r\n--b\r\n\r\ntwo", "the body ends in part 2, before the last boundary"),
            ("--b\r\n\r\none\r\n--b", "the body ends in part 1, before the last boundary"),
            ("--b\r\n\r\none\r\n--b\r\n", "the body ends in part 2, before the last boundary"),
            ("--b\r\n\r\none\r\n--b\r\nno field\r\n\r\n\r\n--b--", "the header of part 2 has a line that is no field"),
            ("--b\r\n\r\none\r\n--b\r\nA b: 1\r\n\r\n\r\n--b--", "the header of part 2 has a line that is no field"),
            ("--b\r\n\r\none\r\n--b\r\nA: 1\0\r\n\r\n\r\n--b--", "the header of part 2 has a line that is no field"),
            (
                "--b\r\n\r\none\r\n--b\r\nA: 1\rB: 2\r\n\r\n\r\n--b--",
                "the header of part 2 has a line that is no field"
            ),
            ("--b\r\n\r\none\r\n--b\r\n 1\r\n\r\n\r\n--b--", "the header of part 2 has a line that is no field"),
            ("none\r\n--a\r\n", "the boundary is nowhere in the body"),
        ])
    func errors(_ text: String, _ sentence: String) throws {
        let bytes = Array(text.utf8)
        for pieceBytes in [1, 3, 1_000] {
            var parser = try MultipartPartsSerializer().makeParser(head, maximumElementBytes: .max)
            var parts: [String] = []
            let error = Sample.sentence {
                for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                    try parser.parse(Array(bytes[start..<min(start + pieceBytes, bytes.count)])) {
                        parts.append(Self.written($0))
                    }
                }
                try parser.finish { parts.append(Self.written($0)) }
            }
            #expect(error == "the parts were refused: \(sentence)", "in pieces of \(pieceBytes)")
            // A boundary without a line end is not one yet.
            let isWhole = text.contains("--b\r\n\r\none\r\n--b\r\n")
            #expect(parts == (isWhole ? ["\none"] : []))
        }
    }

    // MARK: Limits

    private func outcome(_ bytes: [UInt8], pieceBytes: Int, limit: Int, parts: Int = 1_000) throws -> (
        count: Int, error: String?
    ) {
        var parser = try MultipartPartsSerializer(maximumParts: parts).makeParser(
            head, maximumElementBytes: limit)
        var count = 0
        let error = Sample.sentence {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try parser.parse(Array(bytes[start..<min(start + pieceBytes, bytes.count)])) { _ in count += 1
                }
            }
            try parser.finish { _ in count += 1 }
        }
        return (count, error)
    }

    @Test("a part with its header may have as many bytes as it may, and not one more", arguments: [1, 3, 1_000])
    func partLimit(_ pieceBytes: Int) throws {
        for (length, isTaken) in [(49, true), (50, true), (51, false)] {
            let header = "A: 1\r\n\r\n"
            let part = header + String(repeating: "x", count: length - header.utf8.count)
            let body = Array("--b\r\n\r\none\r\n--b\r\n\(part)\r\n--b--".utf8)
            let (count, error) = try outcome(body, pieceBytes: pieceBytes, limit: 50)
            #expect(error == (isTaken ? nil : "an element is longer than 50 bytes"))
            #expect(count == (isTaken ? 2 : 1))
        }
    }

    @Test(
        "the text before the first boundary may be as long as a part, however it is cut",
        arguments: [1, 2, 3, 7, 1_000])
    func preambleLimit(_ pieceBytes: Int) throws {
        for (length, isTaken) in [(0, true), (49, true), (50, true), (51, false), (80, false), (10_000, false)] {
            for line in ["x", "xx\n", "--x-b\n", "\n--"] {
                let preamble = String(String(repeating: line, count: length).prefix(length))
                for end in ["\n", "\n--b--\n"] {
                    let body = Array((preamble + end + "--b\n\none\n--b--").utf8)
                    let (count, error) = try outcome(body, pieceBytes: pieceBytes, limit: 50)
                    #expect(error == (isTaken ? nil : "an element is longer than 50 bytes"), "\(length) \(line)")
                    #expect(count == (isTaken && end == "\n" ? 1 : 0), "\(length) \(line)")
                }
            }
        }
    }

    @Test("a body without a boundary is refused before it ends")
    func endlessPreamble() throws {
        var parser = try MultipartPartsSerializer().makeParser(head, maximumElementBytes: 1_000)
        let piece = Array("no --b\r\n-- b\r\n".utf8)
        var taken = 0
        let error = Sample.sentence {
            while taken < 100_000 {
                taken += piece.count
                try parser.parse(piece) { _ in }
            }
        }
        #expect(error == "an element is longer than 1000 bytes")
        #expect(taken < 1_100)
    }

    @Test("a header may have 16 KiB, and not one byte more", arguments: [1, 1_000, 100_000])
    func headerLimit(_ pieceBytes: Int) throws {
        for (length, isTaken) in [(16_383, true), (16_384, true), (16_385, false)] {
            let header = "A: " + String(repeating: "x", count: length - 7) + "\r\n\r\n"
            let body = Array("--b\r\n\(header)1\r\n--b--".utf8)
            let (count, error) = try outcome(body, pieceBytes: pieceBytes, limit: .max)
            #expect(
                error == (isTaken ? nil : "the parts were refused: the header of part 1 is longer than 16,384 bytes"))
            #expect(count == (isTaken ? 1 : 0))
        }
    }

    @Test("a body may have as many parts as the option says, and not one more")
    func count() throws {
        for (parts, isTaken) in [(9, true), (10, true), (11, false)] {
            let body = Array((String(repeating: "--b\n\n.\n", count: parts) + "--b--").utf8)
            let (count, error) = try outcome(body, pieceBytes: 5, limit: .max, parts: 10)
            #expect(error == (isTaken ? nil : "the parts were refused: there are more than 10 of them"))
            #expect(count == min(parts, 10))
        }
    }

    @Test("blanks behind a boundary without an end are part of a body, and count")
    func padding() throws {
        let body = Array("--b\n\n.\n--b".utf8) + [UInt8](repeating: 0x20, count: 10_000)
        let (count, error) = try outcome(body, pieceBytes: 1, limit: 1_000)
        #expect(error == "an element is longer than 1000 bytes")
        #expect(count == 0)
    }
}
