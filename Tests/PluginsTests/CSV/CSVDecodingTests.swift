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
            try parser.parse(Array(text.utf8).span) { pairs.append($0) }
            try parser.finish { pairs.append($0) }
        }
        #expect(error == "the CSV was refused at \(sentence)")
        #expect(pairs.allSatisfy { $0 == Pair(a: 1) })
        #expect(pairs.count == (text.hasPrefix("a") ? 1 : 0))
    }

    @Test("a type with keys needs a header row, and a value needs a field")
    func shapes() {
        #expect(
            Sample.sentence { _ = try rows("1,2\n", of: Pair.self, hasHeader: false) }
                == "the CSV was refused at line 1: expected Dictionary<String, Any>")
        #expect(
            Sample.sentence { _ = try rows("a\n1\n", of: Int.self) } == "the CSV was refused at line 2: expected Int")
        #expect(
            Sample.sentence { _ = try rows("a\n1\n", of: [[Int]].self) }
                == "the CSV was refused at line 2: expected Array<Any> at /0")
    }

    @Test("the error that a type throws is kept")
    func cause() throws {
        let failure = try #require(throws: CSVFailure.self) { try rows("a\nx\n", of: Pair.self) }
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
