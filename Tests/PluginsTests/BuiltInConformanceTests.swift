import Foundation
import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import PatchbayTesting
import Testing

@testable import PatchbayPlugins

/// Every built-in serializer, held to the contract by the kit that outside authors use.
@Suite(.timeLimit(.minutes(5))) struct BuiltInConformanceTests {
    private typealias S = ConformanceSample

    @Test func text() async throws {
        try await checkConformance(
            of: TextSerializer(),
            good: [
                S("UTF-8", text: "héllo, wörld"), S("Latin-1", [0xE9], contentType: "text/plain; charset=latin1"),
                S("Shift JIS", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67], contentType: "text/plain; charset=shift_jis"),
                S("UTF-16", Sample.utf16("héllo")),
            ],
            bad: [
                S("not UTF-8", [0xFF, 0xFE, 0xFD]),
                S("unknown charset", text: "hello", contentType: "text/plain; charset=x-none"),
            ])
    }

    @Test func raw() async throws {
        try await checkConformance(
            of: RawSerializer(),
            good: [
                S("a page", text: "<p>Ada</p>", contentType: "text/html", status: 502), S("no text", [0xFF, 0x00]),
            ],
            bad: [])
    }

    @Test func json() async throws {
        let good = [S("object", text: #"{"a": [1, 2.5, "é\u0041", true, null]}"#), S("BOM", text: "\u{FEFF}{}")]
        let bad = [
            S("cut", text: #"{"a": [1, 2, 3, 4, 5"#), S("two values", text: "1 2"),
            S("text", text: "<html>no JSON</html>"),
        ]
        try await checkConformance(of: JSONSerializer(), good: good, bad: bad)
        try await checkConformance(of: JSONSerializer(decoder: JSONDecoder()), good: good, bad: bad)
        try await checkConformance(
            of: JSONSerializer(), decoding: [String: [Int]].self, good: [S("ints", text: #"{"a": [1, 2]}"#)],
            bad: bad + [S("strings", text: #"{"a": ["one", "two"]}"#)])
    }

    @Test func problem() async throws {
        try await checkConformance(
            of: ProblemSerializer(),
            good: [S("problem", text: #"{"title": "no", "status": 404, "x": 1}"#, status: 404)],
            bad: [S("array", text: #"["a problem is an object"]"#, status: 404), S("cut", text: "{", status: 404)])
    }

    @Test func propertyList() async throws {
        let list: [String: Any] = ["a": [1, 2], "b": [3]]
        let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let good = [S("XML", xml), S("binary", binary)]
        let bad = [
            S("OpenStep", text: "{ a = (1, 2); b = (3); }"), S("cut XML", xml.dropLast(9)),
            S("cut binary", binary.dropLast()),
        ]
        try await checkConformance(of: PropertyListSerializer(), good: good, bad: bad)
        try await checkConformance(
            of: PropertyListSerializer(), decoding: [String: [Int]].self, good: good, bad: bad)
    }

    @Test func xml() async throws {
        let good = [
            S("document", text: "<?xml version='1.0'?><a b='c'>d &amp; <![CDATA[e]]><!-- f --><?g h?><?i?></a>"),
            S("UTF-16", Sample.utf16("<a>é</a>")),
            S("DOCTYPE", text: "<!DOCTYPE a [<!ENTITY b ']>'><!ATTLIST a c CDATA #IMPLIED>]><a>d</a>"),
        ]
        let refused = [S("entity", text: "<!DOCTYPE a><a>&b;</a>"), S("not UTF-8", Array("<a>".utf8) + [0xFF])]
        try await checkConformance(
            of: XMLDocumentSerializer(), good: good, bad: refused + [S("cut", text: "<a><b></b><c></c>")])
        try await checkConformance(
            of: XMLDecodingSerializer(), good: good, bad: refused + [S("cut", text: "<a><b></b><c></c>")])
        try await checkConformance(
            of: XMLDecodingSerializer(), decoding: [String: [Int]].self,
            good: [S("ints", text: "<a><b>1</b><b>2</b><c>3</c></a>")],
            bad: refused + [S("strings", text: "<a><b>1</b><b>two</b></a>")])
        try await checkConformance(of: XMLParserSerializer(), good: good, bad: refused) { one, other in
            (try? XMLTree(one.text)) == (try? XMLTree(other.text))
        }
    }

    @Test func form() async throws {
        try await checkConformance(
            of: FormSerializer(maximumFields: 3), good: [S("fields", text: "a=1&b=%C3%A9+&a=%zz")],
            bad: [S("too many", text: "a=1&b=2&c=3&d=4&e=5")])
    }
}
