import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// What types are decoded from rows.
@Suite("Types from rows of CSV") struct CSVDecodingTests {
    struct Person: Decodable, Equatable, Sendable {
        enum Kind: String, Decodable, Sendable { case human, robot }

        let name: String
        let age: Int?
        let height: Double?
        let isHere: Bool?
        let born: Date?
        let kind: Kind?
        let note: String?
        let other: String?
    }

    private func rows<Value: Decodable & Sendable>(
        _ text: String, of type: Value.Type, hasHeader: Bool = true
    ) throws -> [Value] {
        var parser = CSVRowsSerializer(hasHeader: hasHeader).makeParser(
            of: type, Sample.head("text/csv"), maximumElementBytes: .max)
        return try parser.elements(of: Sample.body(text))
    }

    @Test("a type with keys takes the columns of their names, and an empty field is nil")
    func keyed() throws {
        let people = try rows(
            #"""
            note,name,age,height,isHere,born,kind,more
            "a ""b""",Ada, 36 ,1.65,true,1815-12-10T00:00:00Z,human,x
            ,,,,,,,
            """#, of: Person.self)
        #expect(
            people == [
                Person(
                    name: "Ada", age: 36, height: 1.65, isHere: true, born: Date(timeIntervalSince1970: -4_861_728_000),
                    kind: .human, note: "a \"b\"", other: nil),
                Person(
                    name: "", age: nil, height: nil, isHere: nil, born: nil, kind: nil, note: nil, other: nil),
            ])
    }

    @Test("dictionaries and arrays take every field")
    func collections() throws {
        let text = "a,b\n1,\n3,4\n"
        #expect(try rows(text, of: [String: String].self) == [["a": "1", "b": ""], ["a": "3", "b": "4"]])
        #expect(try rows(text, of: [String: String?].self) == [["a": "1", "b": nil], ["a": "3", "b": "4"]])
        #expect(try rows(text, of: [String: Int?].self) == [["a": 1, "b": nil], ["a": 3, "b": 4]])
        #expect(try rows(text, of: [String].self) == [["1", ""], ["3", "4"]])
        #expect(try rows(text, of: [Int?].self) == [[1, nil], [3, 4]])
        #expect(try rows("1,2\n", of: [Int].self, hasHeader: false) == [[1, 2]])
        #expect(try rows("1,2\n", of: [String].self, hasHeader: false) == [["1", "2"]])
    }

    @Test("JSON is made of rows")
    func json() throws {
        let text = "a,b,a\n1.5,,x\n007,true,y\n"
        #expect(
            try rows(text, of: JSON.self).map { "\($0)" } == [#"{"a":1.5,"b":null}"#, #"{"a":"007","b":true}"#])
        #expect(try rows("1,x\n", of: JSON.self, hasHeader: false) == [[1, "x"]])
    }

    struct Pair: Decodable, Equatable, Sendable { let a: Int }

    @Test(
        "a row that is no value of the type is an error with its line, after the rows before",
        arguments: [
            ("a\n1\n\n", "line 3: expected Int at /a"), ("a,b\n1,2\nx,3\n", "line 3: expected Int at /a"),
            ("b\n1\n", "line 2: the key \"a\" is missing"),
            ("a\n1\n300000000000000000000\n", "line 3: expected Int at /a"),
        ])
    func errors(_ text: String, _ sentence: String) {
        var parser = CSVRowsSerializer().makeParser(
            of: Pair.self, Sample.head("text/csv"), maximumElementBytes: .max)
        var pairs: [Pair] = []
        let error = Sample.sentence {
            try parser.parse(Array(text.utf8)) { pairs.append($0) }
            try parser.finish { pairs.append($0) }
        }
        #expect(error == "the CSV was refused at \(sentence)")
        #expect(pairs.allSatisfy { $0 == Pair(a: 1) })
        #expect(pairs.count == (text.hasPrefix("a") ? 1 : 0))
    }

    @Test("a Bool in the spellings of a spreadsheet, of JSON and as a digit, in a thousand columns, too")
    func booleans() throws {
        let spellings =
            [("true", true), ("True", true), ("TRUE", true), (" TRUE ", true), ("1", true), ("false", false)]
            + [("False", false), ("FALSE", false), ("0", false)]
        for (text, value) in spellings {
            #expect(try rows("isHere\n\(text)\n", of: [String: Bool].self) == [["isHere": value]], "\(text)")
            #expect(try rows("\(text),\n", of: [Bool?].self, hasHeader: false) == [[value, nil]], "\(text)")
        }
        for text in ["tRUE", "yes", "T", "TRUEx", "2", "WAHR"] {
            #expect(throws: FormatFailure.self, "\(text)") { try rows("a\n\(text)\n", of: [String: Bool].self) }
        }
        let wide = Array(repeating: "TRUE", count: 1_000).joined(separator: ",")
        #expect(
            try rows("\(wide)\n\(wide)", of: [Bool].self, hasHeader: false)
                == Array(repeating: Array(repeating: true, count: 1_000), count: 2))
        #expect(try rows("a\nTRUE\n", of: JSON.self) == [["a": "TRUE"]])
        #expect(try rows("a\nTRUE\n", of: [String: String].self) == [["a": "TRUE"]])
    }

    /// A table with bad rows: the first fields of the good ones as text, the numbers of the good ones, and how many are bad.
    static let damaged: [(name: String, text: String, fields: [String], skipped: Int, numbers: [Int], unmade: Int)] = [
        ("all are good", "a,b\n1,2\n3,4\n", ["1", "3"], 0, [1, 3], 0),
        ("a value of another type", "a,b\n1,2\nx,2\n3,4", ["1", "x", "3"], 0, [1, 3], 1),
        ("the first, and the last without a line end", "a\nx\n1\ny", ["x", "1", "y"], 0, [1], 2),
        ("too few and too many fields", "a,b\n1\n2,2\n3,3,3\n4,4\n", ["2", "4"], 2, [2, 4], 2),
        ("text behind quotes", "a,b\n\"1\"x,2\n3,4\n", ["3"], 1, [3], 1),
        ("text behind quotes, and more quotes", "a,b\r\n1,\"2\"x,\"y\r\n3,4\r\n", ["3"], 1, [3], 1),
        ("text behind quotes at the end", "a,b\n3,4\n\"1\"x", ["3"], 1, [3], 1),
        ("lines in a bad row", "a,b\n\"1\n2\"x\n3,4\n", ["3"], 1, [3], 1),
        ("nothing but bad rows", "a,b\n1\n2\n", [], 2, [], 2),
    ]

    @Test("a bad row is passed over and counted by option, wherever the body is cut", arguments: damaged.indices)
    func skipped(_ index: Int) throws {
        let (name, text, fields, skipped, numbers, unmade) = Self.damaged[index]
        let (lenient, head) = (CSVRowsSerializer(badRows: .skip), Sample.head("text/csv"))
        let rows = try ElementRun.everySplit(text, name) { lenient.makeParser(head, maximumElementBytes: .max) }
        #expect(rows.failure == nil)
        #expect(rows.elements.map(\.first) == fields)
        #expect(rows.skipped == skipped)
        #expect(try lenient.serialize(Sample.body(text), head).map(\.first) == fields)
        let pairs = try ElementRun.everySplit(text, name) {
            lenient.makeParser(of: Pair.self, head, maximumElementBytes: .max)
        }
        #expect(pairs.failure == nil)
        #expect(pairs.elements.map(\.a) == numbers)
        #expect(pairs.skipped == unmade)
        let strict = try ElementRun.everySplit(text, name) {
            CSVRowsSerializer().makeParser(of: Pair.self, head, maximumElementBytes: .max)
        }
        #expect((strict.failure == nil) == (unmade == 0))
    }

    @Test("the line of an error after skipped rows of several lines is its own")
    func lineAfterSkipped() {
        #expect(
            Sample.sentence {
                _ = try CSVRowsSerializer(badRows: .skip).serialize(
                    Sample.body("a,b\n\"1\n2\"x\n3\n\"4"), Sample.head("text/csv"))
            } == "the CSV was refused at line 5: the body ends inside quotes")
    }

    @Test("bytes that are not UTF-8 in a row, and too many fields, are skipped as well")
    func skippedBytes() throws {
        let lenient = CSVRowsSerializer(badRows: .skip)
        let bytes = Array("a\n1\n".utf8) + [0xFF, 0x0A] + Array("\"x\"\"".utf8) + [0xFF, 0x22, 0x0A, 0x32]
        let run = try ElementRun.everySplit(bytes) {
            lenient.makeParser(Sample.head("text/csv"), maximumElementBytes: .max)
        }
        #expect(run.elements.map(\.first) == ["1", "2"])
        #expect(run.skipped == 2)
        let wide = "a\n1\n" + String(repeating: ",", count: 100_000) + "\n2"
        var parser = lenient.makeParser(Sample.head("text/csv"), maximumElementBytes: .max)
        #expect(try parser.elements(of: Sample.body(wide)).map(\.first) == ["1", "2"])
        #expect(parser.skippedElements == 1)
    }

    @Test("a header row, a row that is too long, an open quote and another charset are errors with the option, too")
    func neverSkipped() {
        func sentence(_ body: [UInt8], _ contentType: String = "text/csv", limit: Int = .max) -> String? {
            Sample.sentence {
                var parser = CSVRowsSerializer(badRows: .skip)
                    .makeParser(Sample.head(contentType), maximumElementBytes: limit)
                _ = try parser.elements(of: ResponseBody(body))
            }
        }
        #expect(
            sentence(Array("\"a\"x\n1\n".utf8))
                == "the CSV was refused at line 1: there is text behind the quotes of a field")
        #expect(sentence([0xFF, 0x0A, 0x31]) == "the CSV was refused at line 1: it is not valid UTF-8")
        #expect(
            sentence(Array("a\n\"1\n2\n".utf8)) == "the CSV was refused at line 2: the body ends inside quotes")
        #expect(
            sentence([0x61, 0x0A, 0xA0, 0x0A], "text/csv; charset=shift_jis")
                == "the CSV was refused at line 2: it is not valid Shift_JIS")
        #expect(sentence(Array("a\n12345\n".utf8), limit: 4) != nil)
    }

    private struct Refused: Error {}

    @Test("an error of whoever takes the rows is not skipped")
    func takersError() throws {
        var parser = CSVRowsSerializer(badRows: .skip)
            .makeParser(of: Pair.self, Sample.head("text/csv"), maximumElementBytes: .max)
        #expect(throws: Refused.self) { try parser.parse(Array("a\n1\n".utf8)) { _ in throw Refused() } }
    }

    @Test("a nil element is no skipped row")
    func nilElements() throws {
        let run = try ElementRun.everySplit("a,b\n1,2\n,\n") {
            CSVRowsSerializer(badRows: .skip)
                .makeParser(of: [Int?].self, Sample.head("text/csv"), maximumElementBytes: .max)
        }
        #expect(run.elements == [[1, 2], [nil, nil]])
        #expect(run.skipped == 0)
    }

    @Test("a type with keys needs a header row, and a value needs a field")
    func shapes() {
        #expect(
            Sample.sentence { _ = try rows("1,2\n", of: Pair.self, hasHeader: false) }
                == "the CSV was refused at line 1: its fields have no names, because there is no header row")
        #expect(
            Sample.sentence { _ = try rows("a\n1\n", of: Int.self) } == "the CSV was refused at line 2: expected Int")
        #expect(
            Sample.sentence { _ = try rows("a\n1\n", of: [[Int]].self) }
                == "the CSV was refused at line 2: expected an array at /0")
    }

    @Test("the error that a type throws is kept")
    func cause() throws {
        let failure = try #require(throws: FormatFailure.self) { try rows("a\nx\n", of: Pair.self) }
        guard case DecodingError.typeMismatch(_, let context)? = failure.cause else {
            Issue.record("\(String(describing: failure.cause))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }

    @Test("a row is encoded by the names of its columns, or as an array of its fields")
    func encoding() throws {
        let named = try CSVRowsSerializer().serialize(Sample.body("b,a,b,c\n1,2,3,4\n"), Sample.head("text/csv"))
        let short = CSVRow(["1"], names: ["a", "b"])
        #expect(try named.map { try JSON(encoding: $0).description } == [#"{"b":"1","a":"2","c":"4"}"#])
        #expect(try JSON(encoding: short).description == #"{"a":"1"}"#)
        #expect(try JSON(encoding: [CSVRow(["1", "x"]), CSVRow([])]).description == #"[["1","x"],[]]"#)
    }
}
