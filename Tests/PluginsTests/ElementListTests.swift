import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayJSON
@testable import PatchbayPlugins

/// A list of all elements of a body is counted while it grows, whatever the format and the type.
@Suite(.timeLimit(.minutes(5))) struct ElementListTests {
    struct Point: Decodable, Sendable, Equatable { var x: Int }

    /// A format and a type, with the bytes that one element counts.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: Int
        /// The number of elements of a body of so many equal elements, within a limit.
        let count: @Sendable (_ elements: Int, _ limit: Int) throws -> Int
        var testDescription: String { name }

        init<Element: Sendable>(
            _ name: String, _ bytes: Int, of type: Element.Type, _ element: String,
            start: String = "", end: String = "", _ parser: @escaping @Sendable () throws -> any ElementParser<Element>
        ) {
            (self.name, self.bytes) = (name, bytes)
            count = { elements, limit in
                var parser = try parser()
                let text = start + String(repeating: element, count: elements) + end
                return try parser.elements(of: Sample.body(text), ListSize(limit: limit)).count
            }
        }
    }

    private static let ndjson = Sample.head("application/x-ndjson")
    private static let sequence = Sample.head("application/json-seq")
    private static let table = Sample.head("text/csv; header=absent")
    private static let events = Sample.head("text/event-stream")
    private static let parts = Sample.head("multipart/mixed; boundary=b")

    private static func lines<Value: Decodable & Sendable>(
        _ type: Value.Type, _ serializer: NDJSONSerializer = NDJSONSerializer()
    ) -> @Sendable () throws -> any ElementParser<Value> {
        { try serializer.makeParser(of: type, ndjson, maximumElementBytes: .max) }
    }

    private static func rows<Value: Decodable & Sendable>(
        _ type: Value.Type
    ) -> @Sendable () throws -> any ElementParser<Value> {
        { CSVRowsSerializer().makeParser(of: type, table, maximumElementBytes: .max) }
    }

    static let cases: [Case] = [
        Case("untyped lines", 16 + 16, of: JSON.self, "1\n") {
            try NDJSONSerializer().makeParser(ndjson, maximumElementBytes: .max)
        },
        Case("lines as JSON", 16 + 16, of: JSON.self, "1\n", lines(JSON.self)),
        Case("lines as optional JSON", 16 + 16, of: JSON?.self, "1\n", lines(JSON?.self)),
        Case("lines of arrays", 16 + 8 * 8, of: JSON.self, "[[],[],[]]\n", lines(JSON.self)),
        Case("lines of texts", 16 + 8 + 5 + 9, of: JSON.self, "\"123456789\"\n", lines(JSON.self)),
        Case("lines as numbers", 8 + 16, of: Int.self, "1\n", lines(Int.self)),
        Case("lines as optional numbers", 16 + 16, of: Int?.self, "1\n", lines(Int?.self)),
        Case("lines as a type", 8 + 16 + 8 + 6 + 16, of: Point.self, "{\"x\":1}\n", lines(Point.self)),
        Case(
            "bad lines, which are no elements", 8 + 16, of: Int.self, "x\n1\n\"a\"\n",
            lines(Int.self, NDJSONSerializer(badLines: .skip))),
        Case("an untyped sequence", 16 + 16, of: JSON.self, "\u{1E}1\n") {
            try JSONSequenceSerializer().makeParser(sequence, maximumElementBytes: .max)
        },
        Case("a sequence as numbers", 8 + 16, of: Int.self, "\u{1E}1\n") {
            try JSONSequenceSerializer().makeParser(of: Int.self, sequence, maximumElementBytes: .max)
        },
        Case("elements of an array", 8 + 16, of: Int.self, "1,", start: "[", end: "1]") {
            try JSONSerializer().makeParser(of: Int.self, sequence, maximumElementBytes: .max)
        },
        Case("untyped rows", 24 + 8 + 1, of: CSVRow.self, "1\n") {
            CSVRowsSerializer().makeParser(table, maximumElementBytes: .max)
        },
        Case("rows of several fields", 24 + 3 * 8 + 4, of: CSVRow.self, "1,22,\"\"\"\"\n") {
            CSVRowsSerializer().makeParser(table, maximumElementBytes: .max)
        },
        Case("rows as numbers", 8 + 128 + 8 + 1, of: [Int].self, "1\n", rows([Int].self)),
        Case("rows as JSON", 16 + 4 * 8, of: JSON.self, "1\n", rows(JSON.self)),
        Case("untyped events", MemoryLayout<ServerSentEvent>.stride, of: ServerSentEvent.self, "data: 1\n\n") {
            try ServerSentEventSerializer().makeParser(events, maximumElementBytes: .max)
        },
        Case(
            "events of long data", MemoryLayout<ServerSentEvent>.stride + 32 + 16, of: ServerSentEvent.self,
            "data: 1234567890123456\n\n"
        ) {
            try ServerSentEventSerializer().makeParser(events, maximumElementBytes: .max)
        },
        Case("events as numbers", 8 + 3, of: Int.self, "data: 123\n\n") {
            try ServerSentEventSerializer().makeParser(of: Int.self, events, maximumElementBytes: .max)
        },
        Case("events as JSON", 16 + 16, of: JSON.self, "data: 123\n\n") {
            try ServerSentEventSerializer().makeParser(of: JSON.self, events, maximumElementBytes: .max)
        },
        Case(
            "parts", MemoryLayout<ResponsePart>.stride + 512 + 32 + 1, of: ResponsePart.self, "A: b\n\n1\n--b\n",
            start: "--b\n", end: "\n\n--b--"
        ) {
            try MultipartPartsSerializer(maximumParts: 3_000).makeParser(parts, maximumElementBytes: .max)
        },
        Case("short lines of text", 16, of: String.self, "123456789012345\n") {
            LineParser(Sample.head("text/plain").contentType, maximumElementBytes: .max)
        },
        Case("long lines of text", 16 + 32 + 16, of: String.self, "1234567890123456\n") {
            LineParser(Sample.head("text/plain").contentType, maximumElementBytes: .max)
        },
    ]

    @Test("a list has room for as many elements as its limit says, and for no more", arguments: cases)
    func limit(_ row: Case) throws {
        let added = try row.count(0, .max)
        // More than are packed at once, and fewer.
        for count in [3, 2_500] {
            // A body that needs an end has one more element, which may be smaller.
            let limit = row.bytes * count
            let found = try row.count(count, limit + added * row.bytes)
            #expect(found == count + added)
            let failure = #expect(throws: ListLimitFailure.self) { _ = try row.count(count, limit - 1) }
            #expect(failure?.limit == limit - 1)
        }
    }

    @Test("the elements of a long list share memory: at most 64 bytes for each beside its text")
    func shared() throws {
        let count = 4_096
        let values = try NDJSONSerializer().serialize(
            Sample.body((0..<count).map { "\($0 % 10)\n" }.joined()), Self.ndjson)
        #expect(values.map { $0.int ?? -1 } == (0..<count).map { $0 % 10 })
        let tapes = Dictionary(values.map { (ObjectIdentifier($0.tape), $0.tape) }) { first, _ in first }.values
        #expect(tapes.count == 4)
        let words = tapes.reduce(0) { $0 + $1.wordCount }
        #expect(words * 8 + count * MemoryLayout<JSON>.stride <= count * 64, "\(words)")
        #expect(values.capacity < count * 3 / 2)

        var parser = try Self.lines(JSON?.self)()
        let nulls = try parser.elements(of: Sample.body(String(repeating: "1\nnull\n", count: count / 2)))
        #expect(Set(nulls.compactMap { $0.map { ObjectIdentifier($0.tape) } }).count == 4)

        let rows = try CSVRowsSerializer().serialize(
            Sample.body((0..<count).map { "\($0 % 10)\n" }.joined()), Self.table)
        #expect(rows.map(\.fields) == (0..<count).map { ["\($0 % 10)"] })
        let blocks = Dictionary(
            rows.map { row in row.storage.withUnsafeBufferPointer { ($0.baseAddress, row.storage.count) } }
        ) { first, _ in first }
        #expect(blocks.count == 4)
        let bytes = blocks.values.reduce(0, +)
        #expect(bytes + count * MemoryLayout<CSVRow>.stride <= count * 64, "\(bytes)")
    }

    @Test("packed rows are the rows of the table", arguments: ["text/csv", "text/csv; header=absent"])
    func rows(_ type: String) throws {
        let long = String(repeating: "ä,", count: 700)
        let lines = [#"p,q,r"#, #""x ""y""",,1"#, "1,\"\(long)\",2", "é,😀,\"\n\"", "\" \",\"\",\" \""]
        let count = 300
        let body = "a,b,a\n" + String(repeating: lines.joined(separator: "\n") + "\n", count: count)
        let rows = try CSVRowsSerializer().serialize(Sample.body(body), Sample.head(type))
        var parser = CSVRowsSerializer().makeParser(Sample.head(type), maximumElementBytes: .max)
        var expected: [CSVRow] = []
        try Array(body.utf8).withUnsafeBufferPointer {
            try parser.parse(Span(_unsafeElements: $0)) { expected.append($0) }
        }
        try parser.finish { expected.append($0) }
        #expect(rows == expected)
        #expect(rows.map(\.fields) == expected.map(\.fields))
        #expect(rows.last?.dictionary == expected.last?.dictionary && rows.last?["b"] == expected.last?["b"])
        #expect(CSVRow.packed(rows) == rows)
        let own = CSVRow(["a", "", "b"], names: ["x", "y", "z"])
        #expect(CSVRow.packed([own, CSVRow([]), own]) == [own, CSVRow([]), own])
    }

    /// A body that counts more than the limit of a list, and less than that of a body.
    struct Large: Sendable, CustomTestStringConvertible {
        let type: String
        let wanted: @Sendable (SerializerRegistry, ResponseBody, String) throws -> Int
        let body: @Sendable () -> String
        var testDescription: String { type }
    }

    /// 64 KiB of JSON that counts 341 KiB.
    private static let deep = "[" + String(repeating: "[],", count: 21_844) + "1]"

    static let large: [Large] = [
        Large(type: "application/x-ndjson", wanted: untyped) { String(repeating: deep + "\n", count: 500) },
        Large(type: "application/x-ndjson", wanted: typed(JSON.self)) { String(repeating: deep + "\n", count: 500) },
        Large(type: "application/json-seq", wanted: untyped) {
            String(repeating: "\u{1E}" + deep + "\n", count: 500)
        },
        Large(type: "text/csv; header=absent", wanted: untyped) {
            String(repeating: String(repeating: ",", count: 99_999) + "\n", count: 180)
        },
        Large(type: "text/csv", wanted: typed(JSON.self)) {
            let names = (0..<100).map { "\($0)" + String(repeating: "x", count: 10_000) }.joined(separator: ",")
            return names + "\n" + String(repeating: String(repeating: ",", count: 99) + "\n", count: 200)
        },
        Large(type: "multipart/mixed; boundary=b", wanted: typed(JSON.self)) {
            String(repeating: "--b\nContent-Type: application/json\n\n" + deep + "\n", count: 500) + "--b--"
        },
    ]

    private static let untyped: @Sendable (SerializerRegistry, ResponseBody, String) throws -> Int = {
        let value = try $0.explain(contentType: $2, producing: .anything).serialize($1).value
        return (value as? [Any])?.count ?? -1
    }

    private static func typed<Element: Decodable & Sendable>(
        _ type: Element.Type
    ) -> @Sendable (SerializerRegistry, ResponseBody, String) throws -> Int {
        {
            try $0.explain(contentType: $2, producing: .type([Element].self)).serialize($1, as: [Element].self).value
                .count
        }
    }

    private static func registry() throws -> SerializerRegistry {
        let manifest = """
            { "manifestVersion": 1, "plugins": [
              { "id": "lines", "factory": "ndjson", "match": { "types": ["application/x-ndjson"] } },
              { "id": "texts", "factory": "json-seq", "match": { "types": ["application/json-seq"] } },
              { "id": "rows", "factory": "csv-rows", "match": { "types": ["text/csv"] } },
              { "id": "json", "factory": "json", "match": { "types": ["application/json"] } },
              { "id": "parts", "factory": "multipart-parts", "match": { "types": ["multipart/mixed"] } }] }
            """
        return try SerializerRegistry(sources: [.text(manifest, name: "test.json")], factories: .standard)
    }

    @Test("a list takes no more than a JSON document may, and the sentence points to streams", arguments: large)
    func sentence(_ row: Large) throws {
        let failure = #expect(throws: LookupFailure.self) {
            _ = try row.wanted(try Self.registry(), Sample.body(row.body()), row.type)
        }
        #expect(failure?.code == .serialization)
        let reason = "the elements take more than 134217728 bytes once they are parsed; a stream reads them one by one"
        #expect(failure.map { $0.description.contains(reason) } == true, "\(failure.map { "\($0)" } ?? "-")")
        let cause = failure?.cause as? ListLimitFailure
        #expect(cause?.formatFailure.code == .limit)
    }

    @Test("a stream of the same elements has no such limit")
    func stream() throws {
        let decision = try Self.registry().explain(contentType: "application/x-ndjson", producing: .anyElements)
        var reader = try ElementReader<any Sendable>(decision)
        var count = 0
        for _ in 0..<500 {
            var elements: [any Sendable] = []
            try reader.read(Array((Self.deep + "\n").utf8), into: &elements)
            count += elements.count
        }
        #expect(count == 500)
    }
}
