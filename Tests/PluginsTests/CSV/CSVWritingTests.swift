import Foundation
import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Tables that are written (RFC 4180, section 2), whole and row by row, and read back.
@Suite("Tables that are written") struct CSVWritingTests {
    struct Person: Codable, Equatable, Sendable {
        var name = "Ada"
        var age: Int?
        var size: Double?
        var isHere = true
        var born: Date?
        var key: Data?
    }

    /// Leaves a member out by itself.
    struct Sparse: Encodable, Sendable {
        enum Key: CodingKey { case a, b }
        let a: Int?
        let b: Int?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if let a { try container.encode(a, forKey: .a) }
            if let b { try container.encode(b, forKey: .b) }
        }
    }

    private static let csv: MediaType = "text/csv"

    private func write(
        _ value: any Encodable & Sendable, _ serializer: CSVRowsSerializer = CSVRowsSerializer(),
        as type: MediaType = csv
    ) throws -> String {
        String(decoding: try serializer.write(value, as: type), as: UTF8.self)
    }

    /// The elements of an array, written one by one.
    private func writeElements(
        _ values: [any Encodable & Sendable], _ serializer: CSVRowsSerializer = CSVRowsSerializer(),
        as type: MediaType = csv
    ) throws -> String {
        var bytes = Data()
        for (position, value) in values.enumerated() {
            bytes += try serializer.writeElement(value, at: position, as: type)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The rules of RFC 4180, section 2, by their numbers, and the corners of them.
    static let fields: [(name: String, rows: [[String]], text: String)] = [
        ("rule 1", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]], "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n"),
        ("rule 4, blanks", [[" aaa ", ""], ["", "b"]], " aaa ,\r\n,b\r\n"),
        ("rule 6, a line end", [["aaa", "b\r\nbb"], ["z\ny", "\rx"]], "aaa,\"b\r\nbb\"\r\n\"z\ny\",\"\rx\"\r\n"),
        ("rule 6, a comma", [["a,b", ","]], "\"a,b\",\",\"\r\n"),
        ("rule 7", [["aaa", "b\"bb"], ["\"", "\"\""]], "aaa,\"b\"\"bb\"\r\n\"\"\"\",\"\"\"\"\"\"\r\n"),
        ("one field that is empty", [[""], ["a"], [""]], "\"\"\r\na\r\n\"\"\r\n"),
        ("a byte order mark", [["\u{FEFF}a", "b"]], "\"\u{FEFF}a\",b\r\n"),
        ("beyond ASCII", [["é;", "😀"]], "é;,😀\r\n"), ("no rows", [], ""),
    ]

    @Test("fields without names are written as they are, and read back", arguments: fields)
    func plain(_ name: String, _ rows: [[String]], _ text: String) throws {
        #expect(try write(rows) == text)
        #expect(try write(rows.map { CSVRow($0) }) == text)
        #expect(try writeElements(rows) == text)
        #expect(try writeElements(rows.map { CSVRow($0) }) == text)
        let read = try CSVRowsSerializer().serialize(Sample.body(text), Sample.head("text/csv; header=absent"))
        #expect(read.map(\.fields) == rows)
    }

    @Test("delimiter and quote are those of the entry")
    func dialect() throws {
        let serializer = CSVRowsSerializer(delimiter: ";", quote: "'")
        let rows = [["a;b", "it's", "\"c\",d"], ["1", "2", "3"]]
        let text = "'a;b';'it''s';\"c\",d\r\n1;2;3\r\n"
        #expect(try write(rows, serializer) == text)
        let read = try serializer.serialize(Sample.body(text), Sample.head("text/csv; header=absent"))
        #expect(read.map(\.fields) == rows)
    }

    static let tables: [(name: String, rows: any Encodable & Sendable, text: String)] = [
        (
            "structs, nil where a member is missing", [Person(), Person(name: "B,c", age: 36, size: 1.5)],
            "name,age,size,isHere,born,key\r\nAda,,,true,,\r\n\"B,c\",36,1.5,true,,\r\n"
        ),
        (
            "the names in order of first appearance", [Sparse(a: nil, b: 1), Sparse(a: 2, b: nil), Sparse(a: 3, b: 4)],
            "b,a\r\n1,\r\n,2\r\n4,3\r\n"
        ),
        (
            "rows with names", [CSVRow(["1", "2"], names: ["a", "b"]), CSVRow(["3", "4"], names: ["b", "c"])],
            "a,b,c\r\n1,2,\r\n,3,4\r\n"
        ),
        (
            "a name twice in all rows",
            [CSVRow(["1", "2"], names: ["a", "a"]), CSVRow(["3"], names: ["a", "a"])], "a,a\r\n1,2\r\n3,\r\n"
        ),
        ("JSON", [["a": 1, "b": "x"], ["b": nil, "a": 1.5]] as JSON, "a,b\r\n1,x\r\n1.5,\r\n"),
        ("arrays of numbers", [[1, 2.5], [3, 1e300]], "1.0,2.5\r\n3.0,1e+300\r\n"),
        ("an empty field alone", [["a": ""]], "a\r\n\"\"\r\n"), ("no rows", [Person](), ""),
    ]

    @Test("the names of fields are the header row", arguments: tables.indices)
    func table(_ index: Int) throws {
        #expect(try write(Self.tables[index].rows) == Self.tables[index].text)
    }

    @Test("types are read back")
    func roundTrip() throws {
        let people = [
            Person(name: " \"x\"\r\n", age: 36, size: 0.1, born: Date(timeIntervalSince1970: 1), key: Data([1, 2])),
            Person(isHere: false),
        ]
        let text = try write(people)
        var parser = CSVRowsSerializer().makeParser(
            of: Person.self, Sample.head("text/csv"), maximumElementBytes: .max)
        #expect(try parser.elements(of: Sample.body(text)) == people)
        let rows = try CSVRowsSerializer().serialize(Sample.body(text), Sample.head("text/csv"))
        #expect(try write(rows) == text)
        #expect(try writeElements(rows) == text)
    }

    @Test(
        "the header row is written where a reader expects one",
        arguments: [
            (true, "text/csv", true), (false, "text/csv", false), (true, "text/csv; header=absent", false),
            (false, "text/csv; header=present", true),
        ])
    func header(_ option: Bool, _ type: String, _ isWritten: Bool) throws {
        let (serializer, type) = (CSVRowsSerializer(hasHeader: option), try #require(MediaType(parsing: type)))
        let rows = [CSVRow(["1"], names: ["a"]), CSVRow(["2"], names: ["a"])]
        let text = (isWritten ? "a\r\n" : "") + "1\r\n2\r\n"
        #expect(try write(rows, serializer, as: type) == text)
        #expect(try writeElements(rows, serializer, as: type) == text)
    }

    static let placed: [(name: String, rows: [any Encodable & Sendable], text: String)] = [
        ("structs", [Sparse(a: nil, b: 1), Sparse(a: 2, b: nil)], "a,b\r\n,1\r\n2,\r\n"),
        ("dictionaries", [["b": "1", "a": "2"], ["a": "3"]], "a,b\r\n2,1\r\n3,\r\n"),
        (
            "rows with names", [CSVRow(["1", "2"], names: ["b", "a"]), CSVRow(["3"], names: ["b"])],
            "a,b\r\n2,1\r\n,3\r\n"
        ),
        ("fields without names", [["1", "2"], CSVRow(["3", "4"])], "a,b\r\n1,2\r\n3,4\r\n"),
        ("with names and without", [["1", "2"], ["b": "3"]], "a,b\r\n1,2\r\n,3\r\n"),
    ]

    @Test("the option columns puts each field in its place", arguments: placed.indices)
    func columns(_ index: Int) throws {
        let serializer = CSVRowsSerializer(columns: ["a", "b"])
        #expect(try writeElements(Self.placed[index].rows, serializer) == Self.placed[index].text)
        #expect(try write(Rows(rows: Self.placed[index].rows), serializer) == Self.placed[index].text)
        #expect(try write([Sparse](), serializer) == "a,b\r\n")
    }

    /// Rows of several types.
    struct Rows: Encodable, Sendable {
        let rows: [any Encodable & Sendable]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for row in rows { try container.encode(row) }
        }
    }

    static let refused: [(columns: [String]?, rows: [any Encodable & Sendable], reason: String)] = [
        (nil, [["1"], ["2", "3"]], "csv, element 2: it has another number of fields than the first row"),
        (nil, [["1"], ["a": "2"]], "csv, element 1: its fields have no names, but other rows have named fields"),
        (
            nil, [["a": "2"], CSVRow(["1"])],
            "csv, element 2: its fields have no names, but other rows have named fields"
        ),
        (nil, [1], "csv, element 1: a row must be an array of fields or have named fields"),
        (nil, [["1"], Int?.none], "csv, element 2: a row must be an array of fields or have named fields"),
        (nil, [["1"], [String]()], "csv, element 2: it has no fields"),
        (nil, [[String: Int]()], "csv, element 1: it has no fields"),
        (nil, [[["1"]]], "csv, element 1: a field is an array or an object"),
        (nil, [["a": ["1"]]], #"csv, element 1: the field "a" is an array or an object"#),
        (nil, [CSVRow(["1", "2"], names: ["a"])], "csv, element 1: it has more fields than names"),
        (
            nil, [CSVRow(["1", "2"], names: ["a", "a"]), ["b": "1"]],
            "csv, element 1: two of its fields have the same name"
        ),
        (
            ["a", "b"], [["1"]],
            "csv, element 1: its fields have no names, and there are more or fewer of them than columns"
        ),
        (["a", "b"], [["a": "1"], ["c": "2"]], #"csv, element 2: there is no column "c""#),
    ]

    @Test("a table that would be wrong is refused", arguments: refused.indices)
    func refusal(_ index: Int) {
        let row = Self.refused[index]
        #expect(
            Sample.sentence { _ = try write(Rows(rows: row.rows), CSVRowsSerializer(columns: row.columns)) }
                == row.reason)
    }

    static let unwritable: [(name: String, row: any Encodable & Sendable, path: String)] = [
        ("NaN", ["a": Double.nan], "a"), ("infinity", [1, -Double.infinity], "Index 1"),
        ("the year 10000", Person(born: Date(timeIntervalSinceReferenceDate: 252_423_993_600)), "born"),
        ("a far date", Person(born: Date(timeIntervalSinceReferenceDate: 1e15)), "born"),
        ("no date", Person(born: Date(timeIntervalSinceReferenceDate: .nan)), "born"),
    ]

    @Test(
        "a number that is not finite, and a date that ISO 8601 does not have, are refused",
        arguments: unwritable.indices)
    func unwritableFields(_ index: Int) throws {
        let (_, row, path) = Self.unwritable[index]
        #expect(Sample.path { _ = try writeElements([row], CSVRowsSerializer(columns: ["a", "born"])) } == path)
        #expect(Sample.path { _ = try write(Rows(rows: [["x"], row])) } == "Index 1." + path)
    }

    @Test("integers of 128 bits are fields")
    func wideIntegers() throws {
        #expect(try write([[Int128.min, .max]]) == "\(Int128.min),\(Int128.max)\r\n")
        #expect(try write([FormWritingTests.Wide()]) == "signed,unsigned\r\n\(Int128.min),18446744073709551616\r\n")
    }

    @Test("a value with named fields is written alone only where the option names the columns")
    func elementsWithNames() {
        for value in [Sparse(a: 1, b: 2), ["a": "1"]] as [any Encodable & Sendable] {
            #expect(
                Sample.sentence { _ = try writeElements([value]) }
                    == "csv, element 1: elements with named fields need the option columns"
            )
        }
        #expect(
            Sample.sentence { _ = try writeElements([["1"], ["1", ["2"]] as JSON]) }
                == "csv, element 2: a field is an array or an object")
    }

    @Test("a value that is no array is declined")
    func declined() {
        for value in [1, ["a": "b"], Person(), CSVRow(["1"], names: ["a"])] as [any Encodable & Sendable] {
            #expect(CSVRowsSerializer().declineReason(writing: value, as: Self.csv) != nil)
        }
        #expect(CSVRowsSerializer().declineReason(writing: [1], as: Self.csv) == nil)
    }

    @Test("a row that throws ends the table")
    func halfway() {
        let rows = Rows(rows: [["a": 1], JSONWritingTests.Halting()])
        #expect(throws: JSONWritingTests.Halting.Halt.halt) { try write(rows) }
    }

    @Test(
        "a table is UTF-8, and no other charset",
        arguments: [("utf-8", true), ("UTF8", true), ("iso-8859-1", false), ("utf-16", false), ("nonsense", false)])
    func charset(_ label: String, _ isWritten: Bool) throws {
        let type = try #require(MediaType(parsing: "text/csv; charset=\(label)"))
        let reason = isWritten ? nil : "csv: it is always written in UTF-8, not in \"\(label)\""
        #expect(Sample.sentence { _ = try write([["é"]], as: type) } == reason)
        #expect(Sample.sentence { _ = try writeElements([["é"]], as: type) } == reason)
    }

    @Test("columns are names, and none of them twice", arguments: [[], ["a", "b", "a"]])
    func badColumns(_ columns: [String]) {
        let sentence = Sample.sentence {
            _ = try CSVRowsOptions(columns: columns).serializer()
        }
        #expect(sentence == "the option columns must have at least one name, and no name twice")
    }
}
