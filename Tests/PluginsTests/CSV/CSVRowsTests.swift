import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// What a table is in bytes (RFC 4180, section 2).
@Suite("Rows of CSV", .timeLimit(.minutes(5))) struct CSVRowsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let rows: [[String]]
        var options: CSVRowsSerializer
        var testDescription: String { name }

        init(
            _ name: String, _ text: String, _ rows: [[String]],
            _ options: CSVRowsSerializer = CSVRowsSerializer(hasHeader: false)
        ) {
            self.name = name
            self.text = text
            self.rows = rows
            self.options = options
        }
    }

    static let rows = [
        Row("nothing", "", []),
        Row("one field", "a", [["a"]]),
        Row("two rows", "a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
        Row("no end of the last line", "a,b\n1,2", [["a", "b"], ["1", "2"]]),
        Row("CR, LF and CRLF in one body", "a\nb\rc\r\nd\n\re", [["a"], ["b"], ["c"], ["d"], [""], ["e"]]),
        Row("CR alone at the end", "a,b\r", [["a", "b"]]),
        Row("empty fields", ",\na,\n,b\n,,", [["", ""], ["a", ""], ["", "b"], ["", "", ""]]),
        Row("an empty line is no row", "\r\na,b\n\n\r\n1,2\n\n", [["a", "b"], ["1", "2"]]),
        Row("an empty line is a row of one field", "a\n\nb\n", [["a"], [""], ["b"]]),
        Row("an empty field in quotes", "a,b\n\"\"\n", [["a", "b"], [""]]),
        Row("quotes", "\"a\",\"b c\"\r\n\"1\",2", [["a", "b c"], ["1", "2"]]),
        Row("a quote in quotes", "\"say \"\"hi\"\"\",\"\"\"\",x\"\"y", [["say \"hi\"", "\"", "x\"\"y"]]),
        Row("a delimiter and line ends in quotes", "\"a,b\",\"c\r\nd\re\nf\"\nx", [["a,b", "c\r\nd\re\nf"], ["x"]]),
        Row("a quote in a field without quotes is text", "a\"b\",c\"", [["a\"b\"", "c\""]]),
        Row("blanks are text", " a , \"b\"", [[" a ", " \"b\""]]),
        Row("characters of every length", "é,雪,😀\n\"é\"\"雪\",\"😀\"", [["é", "雪", "😀"], ["é\"雪", "😀"]]),
        Row("a mark behind a delimiter", "a,\u{301}b", [["a", "\u{301}b"]]),
        Row("NUL is text", "a\0,b", [["a\0", "b"]]),
        Row("a byte order mark is none of it", "\u{FEFF}\"a\",b", [["a", "b"]]),
        Row(
            "another delimiter and another quote", "'a;b';c,d\n'it''s'", [["a;b", "c,d"], ["it's"]],
            CSVRowsSerializer(delimiter: ";", quote: "'", hasHeader: false)),
        Row(
            "tabs", "a\tb c\n\"d\te\"", [["a", "b c"], ["d\te"]],
            CSVRowsSerializer(delimiter: "\t", hasHeader: false)),
        Row("a header row is no row", "a,b\n1,2", [["1", "2"]], CSVRowsSerializer()),
        Row("nothing but a header row", "a,b\n", [], CSVRowsSerializer()),
        Row("fields of every length", longText, longRows),
    ]

    private static let longRows = (0..<40).map { row in (0..<8).map { String(repeating: "x", count: row * $0 % 37) } }
    private static let longText = longRows.map { $0.joined(separator: ",") }.joined(separator: "\n")

    @Test("a table has these rows, wherever it is cut", arguments: rows)
    func tables(_ row: Row) throws {
        let head = Sample.head("text/csv")
        let whole = try row.options.serialize(Sample.body(row.text), head)
        #expect(whole.map(\.fields) == row.rows)
        let bytes = Array(row.text.utf8)
        for cut in 0...bytes.count {
            var parser = row.options.makeParser(head, maximumElementBytes: .max)
            var rows: [CSVRow] = []
            try parser.parse(Array(bytes[..<cut])) { rows.append($0) }
            try parser.parse(Array(bytes[cut...])) { rows.append($0) }
            try parser.finish { rows.append($0) }
            #expect(rows == whole, "cut at \(cut)")
        }
    }

    @Test("a row is there with the end of its line, a CR included")
    func prompt() throws {
        var parser = CSVRowsSerializer(hasHeader: false).makeParser(Sample.head(nil), maximumElementBytes: .max)
        var rows: [[String]] = []
        for (piece, expected) in [("a,b", 0), ("\r", 1), ("\n", 1), ("c", 1), ("\n", 2), ("\"d\"", 2), ("\n", 3)] {
            try parser.parse(Array(piece.utf8)) { rows.append($0.fields) }
            #expect(rows.count == expected, "behind \(piece.debugDescription)")
        }
    }

    @Test(
        "the response says whether there is a header row, else the option",
        arguments: [
            ("text/csv", true, true), ("text/csv", false, false), ("text/csv; header=absent", true, false),
            ("text/csv; header=PRESENT", false, true), ("text/csv; header=maybe", true, true),
        ])
    func headerParameter(_ contentType: String, _ option: Bool, _ hasHeader: Bool) throws {
        let rows = try CSVRowsSerializer(hasHeader: option).serialize(
            Sample.body("a,b\n1,2"), Sample.head(contentType))
        #expect(rows.map(\.names) == (hasHeader ? [["a", "b"]] : [nil, nil]))
    }

    @Test("a field is found by its place and by its name")
    func access() throws {
        let rows = try CSVRowsSerializer().serialize(
            Sample.body("id,name,id\n1,\"A \"\"B\"\"\",3\n"), Sample.head(nil))
        let row = try #require(rows.first)
        #expect(Array(row) == ["1", "A \"B\"", "3"])
        #expect(row[1] == "A \"B\"")
        #expect(row["name"] == "A \"B\"")
        #expect(row["id"] == "1")
        #expect(row["other"] == nil)
        #expect(row.names == ["id", "name", "id"])
        #expect(row.dictionary == ["id": "1", "name": "A \"B\""])
        #expect(row == CSVRow(["1", "A \"B\"", "3"], names: ["id", "name", "id"]))
        #expect(Set([row, CSVRow(["1", "A \"B\"", "3"], names: ["id", "name", "id"])]).count == 1)
        #expect(row != CSVRow(["1", "A \"B\"", "3"]))
        #expect(row != CSVRow(["1", "A \"B\"", "4"], names: ["id", "name", "id"]))
        #expect(CSVRow(["1"])["id"] == nil)
        #expect(CSVRow(["1"]).dictionary.isEmpty)
        #expect(CSVRow(["1"], names: ["a", "b"])["b"] == nil)
        #expect(CSVRow(["1"], names: ["a", "b"]).dictionary == ["a": "1"])
    }

    @Test("a table of no bytes has no rows")
    func empty() throws {
        let serializer = CSVRowsSerializer()
        #expect(serializer.acceptsEmptyBody)
        #expect(try serializer.serialize(.empty, Sample.head("text/csv")).isEmpty)
    }

    // MARK: Charsets

    struct Charset: Sendable, CustomTestStringConvertible {
        let contentType: String
        let bytes: [UInt8]
        let fields: [String]
        var testDescription: String { contentType }
    }

    static let charsets = [
        Charset(
            contentType: "text/csv; charset=latin1", bytes: [0x61, 0x2C, 0xE9, 0x0A, 0x62, 0x2C, 0x80],
            fields: ["b", "€"]),
        // The second byte of each is a bar or a letter of ASCII.
        Charset(
            contentType: "text/csv; charset=shift_jis", bytes: [0x61, 0x2C, 0x62, 0x0D, 0x83, 0x7C, 0x2C, 0x83, 0x41],
            fields: ["ポ", "ア"]),
        Charset(
            contentType: "text/csv; charset=gb18030",
            bytes: [0x61, 0x2C, 0x62, 0x0A, 0x81, 0x30, 0x81, 0x30, 0x2C, 0x22, 0xC4, 0xE3, 0x22, 0x0A],
            fields: ["\u{80}", "你"]),
        // Between its escape sequences the two bytes of a character may be a comma, a quote or, not here, a line end.
        Charset(
            contentType: "text/csv; charset=iso-2022-jp",
            bytes: [
                0x61, 0x2C, 0x62, 0x0A, 0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42, 0x2C, 0x1B, 0x24, 0x42, 0x25,
                0x2C, 0x1B, 0x28, 0x42,
            ],
            fields: ["あ", "ガ"]),
        Charset(
            contentType: "text/csv", bytes: Sample.utf16("a,b\r\n雪,\"Ċ,\u{10A0A}\"\n"), fields: ["雪", "Ċ,\u{10A0A}"]),
        Charset(
            contentType: "text/csv; charset=latin1", bytes: Sample.utf16("a,b\n雪,ഊ", bigEndian: true),
            fields: ["雪", "ഊ"]),
        Charset(
            contentType: "text/csv; charset=utf-16be",
            bytes: Array(Sample.utf16("a,b\n1,2", bigEndian: true).dropFirst(2)),
            fields: ["1", "2"]),
    ]

    @Test("a table in another charset has the same rows, wherever it is cut", arguments: charsets)
    func decoded(_ charset: Charset) throws {
        let head = Sample.head(charset.contentType)
        for cut in 0...charset.bytes.count {
            var parser = CSVRowsSerializer().makeParser(head, maximumElementBytes: .max)
            var rows: [[String]] = []
            try parser.parse(Array(charset.bytes[..<cut])) { rows.append($0.fields) }
            try parser.parse(Array(charset.bytes[cut...])) { rows.append($0.fields) }
            try parser.finish { rows.append($0.fields) }
            #expect(rows == [charset.fields], "cut at \(cut)")
        }
    }

    @Test("the option names the charset of a response that does not")
    func defaultCharset() throws {
        let serializer = CSVRowsSerializer(hasHeader: false, charset: "windows-1252")
        let body = ResponseBody([0xE9, 0x2C, 0xC3, 0xA9])
        #expect(try serializer.serialize(body, Sample.head("text/csv")).map(\.fields) == [["é", "Ã©"]])
        #expect(throws: FormatFailure.self) { try serializer.serialize(body, Sample.head("text/csv; charset=utf-8")) }
    }

    @Test("a charset that is not known, or not decoded, is an error")
    func unknownCharset() {
        for (charset, sentence) in [
            ("x-none", "the charset x-none is not known; the option charsetOverride can set another"),
            (
                "iso-2022-kr",
                "text in the charset replacement cannot be decoded here; the option charsetOverride can set another"
            ),
        ] {
            #expect(
                Sample.sentence {
                    _ = try CSVRowsSerializer().serialize(
                        Sample.body("a\n1"), Sample.head("text/csv; charset=\(charset)"))
                } == sentence)
        }
    }

    // MARK: Errors and limits

    @Test(
        "the rows before an error are given",
        arguments: [
            ("a,b\n1,2\n3\n4,5", ["1,2"], "at line 3: it has 1 field, and the header row has 2"),
            ("a,b\n1,2\n3,4,5\n", ["1,2"], "at line 3: it has 3 fields, and the header row has 2"),
            ("a\n\"1\n\n2\"\n3,4", ["\"1\n\n2\""], "at line 5: it has 2 fields, and the header row has 1"),
            ("a\r\n\"1\r\n2\r3\"\r\n\r\n\"4", ["\"1\r\n2\r3\"", ""], "at line 6: the body ends inside quotes"),
            ("a\n1\n\"2\"3\n", ["1"], "at line 3: there is text behind the quotes of a field"),
            ("a\n1\n\"2\" \n", ["1"], "at line 3: there is text behind the quotes of a field"),
        ])
    func errors(_ text: String, _ rows: [String], _ sentence: String) {
        for pieceBytes in [1, 2, 100] {
            var parser = CSVRowsSerializer().makeParser(Sample.head(nil), maximumElementBytes: .max)
            var found: [String] = []
            let error = Sample.sentence {
                let bytes = Array(text.utf8)
                for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                    try parser.parse(Array(bytes[start..<min(start + pieceBytes, bytes.count)])) {
                        found.append("\($0)")
                    }
                }
                try parser.finish { found.append("\($0)") }
            }
            #expect(found == rows)
            #expect(error == "the CSV was refused \(sentence)")
        }
    }

    @Test(
        "a row that is not in its charset is an error, after the rows before it",
        arguments: ["utf-8", "shift_jis", "utf-16le", "iso-2022-jp"])
    func malformed(_ charset: String) {
        let bytes: [UInt8] =
            charset == "utf-16le"
            ? Array(Sample.utf16("a\n1\n2\n").dropFirst(2)) + [0x00, 0xD8, 0x0A, 0x00]
            : Array("a\n1\n2\n".utf8) + [0xFF, 0x0A]
        for cut in 0...bytes.count {
            var parser = CSVRowsSerializer().makeParser(
                Sample.head("text/csv; charset=\(charset)"), maximumElementBytes: .max)
            var found: [String] = []
            let error = Sample.sentence {
                try parser.parse(Array(bytes[..<cut])) { found.append($0[0]) }
                try parser.parse(Array(bytes[cut...])) { found.append($0[0]) }
                try parser.finish { found.append($0[0]) }
            }
            #expect(found == ["1", "2"], "cut at \(cut)")
            #expect(
                error
                    == "the CSV was refused at line 4: it is not valid \(TextEncodingName(label: charset)?.rawValue ?? "")"
            )
        }
    }

    @Test("a row may have as many bytes as it may, and not one more", arguments: ["utf-8", "latin1"])
    func limit(_ charset: String) throws {
        for (length, isTaken) in [(9, true), (10, true), (11, false)] {
            let text = "a\n" + String(repeating: "x", count: length) + "\n1\n"
            let bytes = Array(text.utf8)
            for pieceBytes in [1, 3, 100] {
                var parser = CSVRowsSerializer().makeParser(
                    Sample.head("text/csv; charset=\(charset)"), maximumElementBytes: 10)
                var found = 0
                let error = Sample.sentence {
                    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                        try parser.parse(Array(bytes[start..<min(start + pieceBytes, bytes.count)])) { _ in
                            found += 1
                        }
                    }
                    try parser.finish { _ in found += 1 }
                }
                #expect(
                    error == (isTaken ? nil : "an element is longer than 10 bytes"),
                    "\(length) in pieces of \(pieceBytes)")
                #expect(found == (isTaken ? 2 : 0))
            }
        }
    }

    @Test("a row of many fields is refused while it comes")
    func fields() throws {
        var parser = CSVRowsSerializer(hasHeader: false).makeParser(Sample.head(nil), maximumElementBytes: .max)
        let commas = [UInt8](repeating: UInt8(ascii: ","), count: 1_000)
        for _ in 0..<99 { try parser.parse(commas) { _ in } }
        #expect(throws: FormatFailure.self) {
            try parser.parse(commas) { _ in }
            try parser.parse(commas) { _ in }
        }
    }
}
