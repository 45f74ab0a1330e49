import PatchbayJSON
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// What a parser says of a text that is another format than its own.
@Suite("Texts of another format") struct KnownFormatTests {
    private static func looks(_ name: String, _ factory: String) -> String {
        "it looks like \(name), which the factory \"\(factory)\" reads"
    }

    private static let lines = #"JSON on each line is for the factory "ndjson""#
    private static let markup = #"it looks like XML or HTML, which the factories "xml-document" and "text" read"#
    private static let call = "it looks like JSONP, which needs an UnwrappingSerializer"

    /// A body that is no JSON, and the clause about it; nil for none.
    static let bodies: [(name: String, body: String, clause: String?)] = [
        ("lines of objects", "{\"a\":1}\n{\"a\":2}\n", lines), ("lines of arrays", "[1]\r\n[2]\r\n", lines),
        ("lines of numbers", "1\n2\n", lines), ("lines of strings", "\"a\nb\"\n", nil),
        ("lines after a mark and a blank line", "\u{FEFF}\n{}\n\n{}", lines),
        ("lines that differ", "{}\nnull\n\"a\"", lines), ("two values on one line", "{} {}", nil),
        ("values of several lines", "{\n\"a\":1\n}\n{\n}\n", nil), ("a comment in the next line", "{}\n// end", nil),
        ("markup in the next line", "{}\n<p>", nil),
        ("Gerrit's prefix", ")]}'\n{\"a\":1}", looks("JSON after a prefix", "xssi")),
        ("Angular's prefix", ")]}',\n[]", looks("JSON after a prefix", "xssi")),
        ("a loop without end", "for (;;);[1]", looks("JSON after a prefix", "xssi")),
        ("another loop", "while(1);{}", looks("JSON after a prefix", "xssi")),
        ("an exception", "throw 1; {}", looks("JSON after a prefix", "xssi")),
        ("an object in front", "{}&&{\"a\":1}", looks("JSON after a prefix", "xssi")),
        ("a record separator", "\u{1E}{}\n\u{1E}{}\n", looks("JSON after record separators", "json-seq")),
        ("an event", "data: {\"a\":1}\n\n", looks("server-sent events", "server-sent-events")),
        ("an event with a type", "event: x\ndata: 1\n\n", looks("server-sent events", "server-sent-events")),
        ("a comment of a stream", ": ping\n\n", looks("server-sent events", "server-sent-events")),
        ("a page", "\n<!DOCTYPE html>\n<html></html>", looks("HTML", "text")),
        ("a page without a type", "<HTML><body>", looks("HTML", "text")),
        ("a document", "<?xml version=\"1.0\"?>\n<a/>", looks("XML", "xml-document")), ("a tag", "<p>x</p>", markup),
        (
            "a list", "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"x\" \"y\"><plist/>",
            looks("a property list", "property-list")
        ),
        ("a binary list", "bplist00\u{1}", looks("a property list", "property-list")),
        ("a form", "access_token=a%20b&scope=", looks("a form", "form")), ("a setting", "name = value", nil),
        ("a call", "callback({\"a\":1});", call), ("a call after a comment", "/**/a.b_c$1([1])", call),
        ("text", "not found", nil), ("a comma too much", "[1,]", nil), ("an open object", "{\"a\":", nil),
        ("a bad value inside", "{\"a\":<b>}", nil), ("a word", "True", nil),
    ]

    private static func clause(in sentence: String?) -> String? {
        sentence.flatMap { sentence in
            sentence.firstRange(of: "; ").map { String(sentence[$0.upperBound...]) }
        }
    }

    @Test("A whole body, as any type", arguments: bodies)
    func whole(_ name: String, _ body: String, _ clause: String?) throws {
        let body = Sample.body(body)
        let head = Sample.head("application/json")
        let json = JSONSerializer()
        for sentence in [
            Sample.sentence { _ = try json.serialize(body, head) },
            Sample.sentence { _ = try json.decode([[String: Int]].self, from: body, head) },
            Sample.sentence { _ = try json.decode([JSON]?.self, from: body, head) },
            Sample.sentence { _ = try ProblemSerializer().serialize(body, head) },
        ] {
            #expect(sentence != nil)
            #expect(Self.clause(in: sentence) == clause)
        }
        let failure = #expect(throws: FormatFailure.self) { try json.serialize(body, head) }
        #expect(Self.clause(in: failure?.reason) == clause)
    }

    @Test("The elements of a body, wherever it is cut", arguments: bodies)
    func elements(_ name: String, _ body: String, _ clause: String?) throws {
        let run = try ElementRun.everySplit(body, name) {
            try JSONSerializer().makeParser(of: JSON.self, Sample.head("application/json"), maximumElementBytes: .max)
        }
        #expect(run.failure != nil)
        #expect(Self.clause(in: run.failure) == clause)
    }

    @Test(
        "Lines of JSON",
        arguments: [
            ("[\n1,\n2\n]\n", #"JSON on several lines is for the factory "json""#),
            ("{\"a\":\n1}", #"JSON on several lines is for the factory "json""#), ("{\"a\":", nil), ("1\n[\n", nil),
            ("data: 1\n\n", looks("server-sent events", "server-sent-events")),
            ("\u{1E}1\n", looks("JSON after record separators", "json-seq")),
            (")]}'\n1\n", looks("JSON after a prefix", "xssi")), ("1\n<p>\n", nil), ("x\n", nil),
        ] as [(String, String?)])
    func ndjson(_ body: String, _ clause: String?) throws {
        let run = try ElementRun.everySplit(body) {
            try NDJSONSerializer().makeParser(
                of: JSON.self, Sample.head("application/jsonl"), maximumElementBytes: .max)
        }
        #expect(run.failure != nil)
        #expect(Self.clause(in: run.failure) == clause)
        let lenient = try ElementRun.everySplit(body) {
            try NDJSONSerializer(badLines: .skip)
                .makeParser(of: JSON.self, Sample.head("application/jsonl"), maximumElementBytes: .max)
        }
        #expect(lenient.failure == nil)
        #expect(lenient.skipped > 0)
    }

    @Test(
        "Records of JSON",
        arguments: [
            ("{}\n{}\n", #"JSON without separators is for the factories "json" and "ndjson""#),
            ("\n [1]", #"JSON without separators is for the factories "json" and "ndjson""#), ("x", nil),
            ("\u{1E}1\n2\n", nil),
        ] as [(String, String?)])
    func sequence(_ body: String, _ clause: String?) throws {
        let run = try ElementRun.everySplit(body) {
            try JSONSequenceSerializer()
                .makeParser(of: JSON.self, Sample.head("application/json-seq"), maximumElementBytes: .max)
        }
        #expect(run.failure != nil)
        #expect(Self.clause(in: run.failure) == clause)
    }

    @Test(
        "XML and property lists",
        arguments: [
            (#"{"a":1}"#, looks("JSON", "json"), looks("JSON", "json")),
            ("[1]", looks("JSON", "json"), looks("JSON", "json")),
            ("{ a = b; }", nil, nil),
            ("data: 1\n\n", nil, nil), (":<a/>", nil, nil),
            ("<!DOCTYPE html><p>a<br>b", looks("HTML", "text"), nil), ("<a><b></a>", nil, nil),
            ("bplist00", looks("a property list", "property-list"), nil), ("<plist><a></plist>", nil, nil),
        ] as [(String, String?, String?)])
    func markup(_ body: String, _ xml: String?, _ list: String?) {
        let body = Sample.body(body)
        let sentence = Sample.sentence { _ = try XMLDocumentSerializer().serialize(body, Sample.head("text/xml")) }
        #expect(sentence != nil)
        #expect(Self.clause(in: sentence) == xml)
        let other = Sample.sentence { _ = try PropertyListSerializer().serialize(body, Sample.head("text/xml")) }
        #expect(other != nil)
        #expect(Self.clause(in: other) == list)
    }

    struct Price: Decodable, Sendable {
        let name: String
        let price: Double
    }

    @Test(
        "A table with another delimiter",
        arguments: [
            ("name;price\ntea;2\n", #"the option delimiter may have to be ";""#),
            ("name;price\ntea;2,5\n", #"the option delimiter may have to be ";""#),
            ("name\tprice\ntea\t2\n", #"the option delimiter may have to be "\t""#),
            ("name|price\ntea|2", #"the option delimiter may have to be "|""#), ("name\ntea\n", nil),
            ("name,price\ntea;2\n", nil),
        ] as [(String, String?)])
    func table(_ body: String, _ clause: String?) throws {
        let run = try ElementRun.everySplit(body) {
            Names(
                parser: CSVRowsSerializer()
                    .makeParser(of: Price.self, Sample.head("text/csv"), maximumElementBytes: .max))
        }
        #expect(run.failure != nil)
        #expect(Self.clause(in: run.failure) == clause)
        let commas = Sample.sentence {
            var parser = CSVRowsSerializer(delimiter: ";")
                .makeParser(of: Price.self, Sample.head("text/csv"), maximumElementBytes: .max)
            _ = try parser.elements(of: Sample.body("name,price\ntea,2\n"))
        }
        #expect(Self.clause(in: commas) == #"the option delimiter may have to be ",""#)
    }

    /// The names of prices.
    private struct Names: ElementParser {
        var parser: any ElementParser<Price>

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            try parser.parse(bytes) { try emit($0.name) }
        }

        mutating func finish(emit: (String) throws -> Void) throws { try parser.finish { try emit($0.name) } }
    }

    @Test("The event that ends some streams, where a type is wanted")
    func done() throws {
        func run(_ until: String?) throws -> ElementRun<JSON> {
            try ElementRun.everySplit("data: 1\n\ndata: [DONE]\n\n") {
                try ServerSentEventSerializer(until: until)
                    .makeParser(of: JSON.self, Sample.head("text/event-stream"), maximumElementBytes: .max)
            }
        }
        #expect(
            Self.clause(in: try run(nil).failure) == "the option until ends the stream at such an event")
        #expect(try run("[DONE]").failure == nil)
    }
}
