import PatchbayJSON
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// One row at least for every code of every format's error, with its exact sentence; the tables of the formats have more.
@Suite(.timeLimit(.minutes(5))) struct FormatSentenceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let type: String
        /// Nil for an error of one kind only.
        let code: String?
        let sentence: String
        let provoke: @Sendable () throws -> Void
        var testDescription: String { "\(type) \(code ?? "")" }
    }

    private static func xml(
        _ code: XMLFailure.Code, _ reason: String, _ text: String, _ limits: XMLLimits = XMLLimits()
    ) -> Row {
        let place = reason.hasPrefix("at ") ? " " : ": "
        return Row(type: "XMLFailure", code: code.rawValue, sentence: "the XML was refused\(place)\(reason)") {
            let text = try XMLText(Sample.body(text), Sample.head("application/xml").contentType, limits)
            _ = try XMLTree(text)
        }
    }

    private static func list(_ code: FormatFailure.Code, _ reason: String, _ text: String) -> Row {
        Row(
            type: "FormatFailure", code: code.rawValue, sentence: "the property list was refused: \(reason)"
        ) { _ = try PropertyListSerializer().serialize(Sample.body(text), Sample.head("application/x-plist")) }
    }

    private static func csv(
        _ code: FormatFailure.Code, _ line: Int, _ reason: String, _ text: String, charset: String = "utf-8"
    ) -> Row {
        Row(type: "FormatFailure", code: code.rawValue, sentence: "the CSV was refused at line \(line): \(reason)") {
            // One byte for each character, whatever the charset makes of it.
            let body = ResponseBody(text.unicodeScalars.map { UInt8($0.value) })
            _ = try CSVRowsSerializer().serialize(body, Sample.head("text/csv; charset=\(charset)"))
        }
    }

    private static func multipart(
        _ code: FormatFailure.Code, _ reason: String, _ text: String,
        _ contentType: String = "multipart/mixed; boundary=b"
    ) -> Row {
        Row(type: "FormatFailure", code: code.rawValue, sentence: "the parts were refused: \(reason)") {
            _ = try MultipartPartsSerializer().serialize(Sample.body(text), Sample.head(contentType))
        }
    }

    /// An array of arrays that share one another: few bytes, and more values than may be walked.
    private static let bomb: [UInt8] = {
        let levels = (1...40).map { BinaryPropertyList.array($0, $0) }
        return BinaryPropertyList(levels + [[0x09]]).bytes
    }()

    static let rows: [Row] = [
        xml(.encoding, "it looks like UTF-16 or UTF-32 without a byte order mark", "<\0a\0/\0>\0"),
        xml(
            .doctype,
            "at line 1, column 1: it has a document type declaration (DOCTYPE), which the option "
                + #""doctype": "refuse" does not allow"#, "<!DOCTYPE a><a/>", XMLLimits(doctype: .refuse)),
        xml(
            .doctype,
            "at line 1, column 16: it uses an entity that is not one of XML's five; the option "
                + #""doctype": "allow" puts those in place that it declares"#, "<!DOCTYPE a><a>&b;</a>"),
        xml(
            .depth, "at line 1, column 9: its elements are nested more than 2 deep", "<a><b><c/></b></a>",
            XMLLimits(maximumDepth: 2)),
        xml(
            .attributes, "at line 1, column 1: an element has more than 1 attributes", "<a b='1' c='2'/>",
            XMLLimits(maximumAttributes: 1)),
        xml(
            .characters, "at line 1, column 6: it stands for more text than a body of its size may", "<a>12</a>",
            XMLLimits(maximumCharacters: 1)),
        xml(.nodes, "it has more than 1 nodes and attributes", "<a><b/></a>", XMLLimits(maximumNodes: 1)),
        xml(.noRootElement, "there is no root element", ""),
        xml(.notWellFormed, "at line 1, column 5: an attribute has no value", "<a b/>"),
        // Libxml2Tests take the library away.
        Row(type: "XMLFailure", code: "library", sentence: "the XML was refused: \(Libxml2.missing)") {
            throw XMLFailure(.library, Libxml2.missing)
        },
        list(.wrongFormat, "it is neither an XML nor a binary property list", "{"),
        list(.malformed, "it has no value", "<plist/>"),
        Row(
            type: "FormatFailure", code: "aborted",
            sentence: "the XML was refused at line 1, column 6: the delegate ended the parse"
        ) {
            let delegate = CollectedText()
            delegate.abortsAfter = 2
            try XMLParserSerializer().serialize(Sample.body("<a><b/></a>"), Sample.head(nil)).parse(
                with: delegate)
        },
        Row(
            type: "FormatFailure", code: "unsupported",
            sentence: "the property list was refused: it has a UID, as keyed archives do"
        ) {
            _ = try PropertyListSerializer().serialize(
                ResponseBody(BinaryPropertyList([[0x80, 0x01]]).bytes), Sample.head(nil))
        },
        list(
            .depth, "its containers are nested more than 512 deep",
            "<plist>" + String(repeating: "<array>", count: 513) + String(repeating: "</array>", count: 513)
                + "</plist>"),
        Row(
            type: "FormatFailure", code: "limit",
            sentence: "the property list was refused: it stands for more than 5000000 values"
        ) { _ = try PropertyListSerializer().serialize(ResponseBody(bomb), Sample.head(nil)) },
        Row(
            type: "FormatFailure", code: "limit", sentence: "the form was refused: it has more than 1 fields"
        ) {
            _ = try FormSerializer(maximumFields: 1).serialize(Sample.body("a=1&b=2"), Sample.head(nil))
        },
        csv(.truncated, 2, "the body ends inside quotes", "a\n\"1"),
        csv(.malformed, 2, "there is text behind the quotes of a field", "a\r\n\"\r\n\"b"),
        csv(.malformed, 2, "it has 1 field, and the header row has 2", "a,b\n1\n"),
        csv(
            .limit, 1, "it has more than 100000 fields", String(repeating: ",", count: 100_000)),
        csv(.encoding, 3, "it is not valid Shift_JIS", "a\n1\n\u{A0}\n", charset: "shift_jis"),
        Row(
            type: "FormatFailure", code: "element", sentence: "the CSV was refused at line 2: expected Int at /a"
        ) {
            var parser = CSVRowsSerializer().makeParser(
                of: [String: Int].self, Sample.head("text/csv"), maximumElementBytes: .max)
            _ = try parser.elements(of: Sample.body("a\nx"))
        },
        multipart(.malformed, "Content-Type names no boundary", "", "multipart/mixed"),
        multipart(
            .malformed, "the boundary in Content-Type must have 1 to 70 bytes, and no blank at its end", "",
            "multipart/mixed; boundary=" + String(repeating: "b", count: 71)),
        multipart(.malformed, "the boundary is nowhere in the body", "--a\n\n--a--"),
        multipart(.truncated, "the body ends in part 2, before the last boundary", "--b\n\n1\n--b\n\n2"),
        multipart(.malformed, "the header of part 1 has a line that is no field", "--b\nno field\n\n1\n--b--"),
        multipart(
            .limit, "the header of part 1 is longer than 16,384 bytes",
            "--b\nA: " + String(repeating: "a", count: 16_384)),
        multipart(
            .limit, "there are more than 1000 of them", String(repeating: "--b\n\n\n", count: 1_000) + "--b\n"),
        Row(
            type: "FormatFailure", code: "wrongFormat", sentence: "problem details are a JSON object, and this is none"
        ) { _ = try ProblemSerializer().serialize(Sample.body("[]"), Sample.head(nil)) },
        Row(
            type: "FormatFailure", code: "unsupported",
            sentence: "the response has no media type, so there is none for what is behind the prefix"
        ) { _ = try XSSISerializer().unwrap(Sample.body("x"), Sample.head(nil)) },
    ]

    @Test("the sentence of every code", arguments: rows)
    func sentence(_ row: Row) throws {
        let error = try #require(#expect(throws: (any Error).self) { try row.provoke() })
        #expect("\(type(of: error))" == row.type)
        #expect("\(error)" == row.sentence)
        switch error {
        case let error as XMLFailure: #expect(error.code.rawValue == row.code)
        // The parser of callers throws what callers see.
        case let error as FormatFailure:
            #expect(error.code.rawValue == (row.code == "aborted" ? "malformed" : row.code))
        default: #expect(row.code == nil)
        }
    }

    @Test("no code is without a row", arguments: ["XMLFailure"])
    func complete(_ type: String) throws {
        // Where callers have the parser, they see the failure of the XML as theirs.
        let codes = Self.rows.filter { $0.type == type || $0.code == "aborted" }.compactMap(\.code)
        #expect(try DeclaredErrors.codes(of: "\(type).Code") == Set(codes))
    }

    static let options: [(factory: String, options: String, sentence: String)] = [
        (
            "json", #"{ "keys": "snake" }"#,
            #"the factory "json" cannot read this option: the option keys must be one of "asIs", "snakeCase""#
        ),
        (
            "json", #"{ "keys": "snakecase" }"#,
            #"the factory "json" cannot read this option: the option keys must be one of "asIs", "snakeCase"; "#
                + #"did you mean "snakeCase"?"#
        ),
        (
            "json", #"{ "nonConformingFloats": "ok" }"#,
            #"the factory "json" cannot read this option: the option nonConformingFloats is "ok", and must be "error" "#
                + "or an object of three strings"
        ),
        (
            "text", #"{ "charset": "utf-7" }"#,
            #"the factory "text" refused the entry "it": the option charset is "utf-7", which is no charset known here"#
        ),
        (
            "xssi", #"{ "prefix": "" }"#,
            #"the factory "xssi" refused the entry "it": the option prefix is empty"#
        ),
        (
            "form", #"{ "maxFields": 0 }"#,
            #"the factory "form" refused the entry "it": the option maxFields is 0, and must be from 1 to 1000000"#
        ),
    ]

    @Test("an option with a value that it may not have", arguments: options.indices)
    func option(_ index: Int) throws {
        let (factory, options, sentence) = Self.options[index]
        let text = #"{"manifestVersion":1,"plugins":[{"id":"it","factory":"\#(factory)","options":\#(options)}]}"#
        let failure = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: [.text(text, name: "m")], factories: .standard)
        }
        #expect(failure.issues.map(\.message) == [sentence])
    }
}
