import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayPlugins

/// Built-in serializers of elements, held to the contract by the kit that outside authors use.
@Suite(.timeLimit(.minutes(5))) struct BuiltInElementConformanceTests {
    private typealias S = ConformanceSample

    private static let table = "id,name,note\r\n1,Ada,\"say \"\"hi\"\"\"\r\n2,\"雪,\r\nx\",\n"

    @Test("csv-rows") func rows() async throws {
        let names = ["id", "name", "note"]
        let rows = [CSVRow(["1", "Ada", "say \"hi\""], names: names), CSVRow(["2", "雪,\r\nx", ""], names: names)]
        try await checkElementConformance(
            of: CSVRowsSerializer(),
            good: [
                ElementSample(S("table", text: Self.table), rows),
                ElementSample(S("UTF-16", Sample.utf16(Self.table)), rows),
                ElementSample(
                    S("Shift_JIS", [0x61, 0x0A, 0x83, 0x7C, 0x0A], contentType: "text/csv; charset=shift_jis"),
                    [CSVRow(["ポ"], names: ["a"])]),
                ElementSample(S("no end", text: "a,b\n1,2"), [CSVRow(["1", "2"], names: ["a", "b"])]),
            ],
            bad: [
                ElementSample(
                    S("open quote", text: "a,b\n1,2\n\"3,4 and more\n"), [CSVRow(["1", "2"], names: ["a", "b"])]),
                ElementSample(
                    S("ragged", text: "a,b\n1,2\n3 and more than this\n4,5\n"),
                    [CSVRow(["1", "2"], names: ["a", "b"])]),
                ElementSample(
                    S("not UTF-8", Array("a,b\n1,2\n3,".utf8) + [0xFF]), [CSVRow(["1", "2"], names: ["a", "b"])]),
            ],
            unfinished: S("a field without an end", text: "a,b\n1,x"))
    }

    @Test("csv-rows in quotes, in another charset") func longRows() async throws {
        try await checkElementConformance(
            of: CSVRowsSerializer(), good: [], bad: [],
            unfinished: S("quotes without an end", text: "a,b\n1,\"x", contentType: "text/csv; charset=latin1"))
    }

    struct Person: Decodable, Equatable, Sendable { let id: Int, name: String, note: String? }

    @Test("csv-rows as a type") func decodedRows() throws {
        try checkElementConformance(
            of: CSVRowsSerializer(), decoding: Person.self,
            good: [
                ElementSample(
                    S("table", text: Self.table),
                    [Person(id: 1, name: "Ada", note: "say \"hi\""), Person(id: 2, name: "雪,\r\nx", note: nil)])
            ],
            bad: [
                ElementSample(S("no number", text: "id,name\n1,Ada\nAda,2\n"), [Person(id: 1, name: "Ada", note: nil)])
            ],
            unfinished: nil)
    }

    @Test("multipart-parts") func parts() async throws {
        let type = "multipart/mixed; boundary=b-b"
        let parts = [
            ResponsePart(fields: ["Content-Type": "text/plain"], body: Sample.body("one\r\n--b-")),
            ResponsePart(fields: [:], body: Sample.body("")),
        ]
        try await checkElementConformance(
            of: MultipartPartsSerializer(),
            good: [
                ElementSample(
                    S(
                        "two",
                        text:
                            "x\r\n--b-b\r\nContent-Type: text/plain\r\n\r\none\r\n--b-\r\n--b-b \r\n\r\n\r\n--b-b--\r\ny",
                        contentType: type), parts)
            ],
            bad: [
                ElementSample(S("unfinished", text: "--b-b\n\n\n--b-b\n\nand then", contentType: type), [parts[1]]),
                ElementSample(S("no boundary", text: "--b-b\n\n\n--b-b--", contentType: "multipart/mixed"), []),
            ],
            unfinished: S("a part without an end", text: "--b-b\n\nx", contentType: type))
    }
}
