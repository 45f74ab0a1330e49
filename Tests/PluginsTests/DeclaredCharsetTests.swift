import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Responses that name a charset in which they cannot be read.
@Suite("Charsets that a response names") struct DeclaredCharsetTests {
    private static let latin: [UInt8] = Array(#"{"a":"caf"#.utf8) + [0xE9] + Array("\"}".utf8)

    @Test(
        "JSON that is not UTF-8: the sentence has the charset of Content-Type, if it is another one",
        arguments: [
            ("application/json; charset=iso-8859-1", ", and Content-Type says iso-8859-1"),
            (#"application/json; charset="Windows-1252""#, ", and Content-Type says Windows-1252"),
            ("application/vnd.a+json;charset=x-none", ", and Content-Type says x-none"),
            ("application/json; charset=utf-8", ""), ("application/json; charset=UTF8", ""), ("application/json", ""),
            ("application/json; charset=\"\"", ""),
            (#"application/json; charset="a b""#, ", and Content-Type says (unreadable label)"),
        ])
    func json(_ contentType: String, _ clause: String) throws {
        let head = Sample.head(contentType)
        let body = ResponseBody(Self.latin)
        let sentence = "line 1, column 10: the bytes here are not UTF-8\(clause)"
        let json = JSONSerializer()
        let failure = try #require(throws: FormatFailure.self) { try json.serialize(body, head) }
        #expect(failure.description == sentence)
        #expect(failure.code == .encoding)
        #expect(failure.reason == "the bytes here are not UTF-8\(clause)")
        #expect(failure.offset == 9)
        #expect(Sample.sentence { _ = try json.decode([String: String].self, from: body, head) } == sentence)
        #expect(Sample.sentence { _ = try ProblemSerializer().serialize(body, head) } == sentence)
        for (unit, body, parser) in [
            ("element 1: \(sentence)", Self.latin, try json.makeParser(of: JSON.self, head, maximumElementBytes: .max)),
            (
                "element 1: \(sentence)", [0x5B] + Self.latin + [0x5D],
                try json.makeParser(of: JSON.self, head, maximumElementBytes: .max)
            ),
            (
                "line 1, column 10: the bytes here are not UTF-8\(clause)", Self.latin,
                try NDJSONSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
            ),
            (
                "text 1: \(sentence)", [0x1E] + Self.latin,
                try JSONSequenceSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
            ),
        ] {
            #expect(ElementRun(erased: parser, [body[...]]).failure == unit)
        }
    }

    @Test("JSON that is malformed in another way, and JSON in UTF-16")
    func otherFaults() {
        let head = Sample.head("application/json; charset=iso-8859-1")
        #expect(
            Sample.sentence { _ = try JSONSerializer().serialize(Sample.body("[1,]"), head) }
                == "line 1, column 4: expected a value")
        #expect(
            Sample.sentence {
                _ = try JSONSerializer().serialize(
                    ResponseBody(Sample.utf16("[1]")), Sample.head("application/json; charset=utf-16"))
            } == "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8, and Content-Type says utf-16")
    }

    private func load(_ factory: String, _ charset: String?) throws -> SerializerRegistry {
        let options = charset.map { #"{ "charsetOverride": "\#($0)" }"# } ?? "{}"
        let manifest = """
            { "manifestVersion": 1, "plugins": [
                { "id": "it", "factory": "\(factory)", "match": { "types": ["*/*"] }, "options": \(options) } ] }
            """
        return try SerializerRegistry(
            sources: [.text(manifest, name: "test.json")], factories: .standard.joined(with: .migration))
    }

    private static let declaration = "<?xml version='1.0' encoding='x-none'?>"

    /// A factory of a text format, and a body in windows-1252 that reads as `é`.
    static let formats: [(factory: String, body: [UInt8])] = [
        ("text", [0xE9]), ("csv-rows", [0x61, 0x0A, 0xE9]),
        ("xml-document", Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)),
        ("xml-document", Array("\(declaration)<a>".utf8) + [0xE9] + Array("</a>".utf8)),
        ("xml-parser", Array("<a>".utf8) + [0xE9] + Array("</a>".utf8)),
        ("property-list", Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)),
        ("property-list", Array("\(declaration)<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8)),
    ]

    private func text(_ value: any Sendable) -> String? {
        switch value {
        case let value as String: value
        case let value as [CSVRow]: value.first?.first
        case let value as XMLTree: value.root.text
        case let value as PropertyList: value.string
        case let value as XMLParserSource:
            String(decoding: value.text.utf8, as: UTF8.self).contains("<a>é</a>") ? "é" : nil
        default: nil
        }
    }

    @Test(
        "Each text format names its option where it cannot read the charset, and the option reads the body",
        arguments: formats.indices, ["x-none", "iso-2022-kr", "\"a b\"", "utf-8"])
    func option(_ format: Int, _ charset: String) throws {
        let (factory, bytes) = Self.formats[format]
        let (body, type) = (ResponseBody(bytes), "text/x; charset=\(charset)")
        let failure = try #require(throws: LookupFailure.self) {
            try load(factory, nil).explain(contentType: type).serialize(body)
        }
        if charset != "utf-8" {
            #expect(failure.description.contains("; the option charsetOverride can set another; asked: it (failed)"))
        }
        #expect(try text(load(factory, "windows-1252").explain(contentType: type).serialize(body).value) == "é")
    }

    @Test("A declaration that is right, where Content-Type says UTF-8")
    func contradiction() throws {
        let xml = Array("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        let type = "text/xml; charset=utf-8"
        #expect(
            Sample.sentence { _ = try XMLDocumentSerializer().serialize(ResponseBody(xml), Sample.head(type)) }
                == "the XML was refused: its bytes are not UTF-8; its declaration names another charset, "
                + "which the option charsetOverride can set")
        let made = try load("xml-document", "iso-8859-1").explain(contentType: type).serialize(ResponseBody(xml))
        #expect(text(made.value) == "é")
    }

    @Test("A byte order mark comes before the option")
    func mark() throws {
        for factory in ["text", "csv-rows", "xml-document", "property-list"] {
            let content = factory == "property-list" ? "<plist><string>雪</string></plist>" : "<a>雪</a>"
            let body = ResponseBody(Sample.utf16(factory == "csv-rows" ? "a\n雪" : factory == "text" ? "雪" : content))
            let made = try load(factory, "windows-1252").explain(contentType: "text/x").serialize(body)
            #expect(text(made.value) == "雪")
        }
    }

    @Test("Streams of lines and of rows", arguments: ["text", "csv-rows"])
    func streams(_ factory: String) throws {
        func elements(_ charset: String?) throws -> [any Sendable] {
            let decision = try load(factory, charset).explain(
                contentType: "text/x; charset=x-none", producing: .anyElements)
            var reader = try ElementReader<any Sendable>(decision)
            var elements: [any Sendable] = []
            try reader.read([0x61, 0x0A, 0xE9, 0x0A], into: &elements)
            try reader.finish(into: &elements)
            return elements
        }
        let failure = #expect(throws: LookupFailure.self) { try elements(nil) }
        #expect(failure?.description.contains("the option charsetOverride can set another") == true)
        let last = try #require(try elements("latin1").last)
        #expect(((last as? String) ?? (last as? CSVRow)?.first) == "é")
    }

    @Test("Text that code reads has no option")
    func inCode() {
        let failure = #expect(throws: FormatFailure.self) {
            try Sample.body("a").text(MediaType(parsing: "text/plain; charset=x-none"))
        }
        #expect(failure?.description == "the charset x-none is not known")
        #expect(failure?.reason == "the charset x-none is not known")
    }
}
