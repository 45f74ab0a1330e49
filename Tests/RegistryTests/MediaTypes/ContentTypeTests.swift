import PatchbayRegistry
import Testing

/// Fetch, "extract a MIME type" over "get, decode, and split".
@Suite struct ContentTypeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let fields: [String]
        /// The canonical text, or nil for *invalid*.
        let expected: String?

        init(_ name: String, _ fields: [String], _ expected: String?) {
            self.name = name
            self.fields = fields
            self.expected = expected
        }

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case("one", ["text/html"], "text/html"),
        Case("JSON", ["application/json"], "application/json"),
        Case("JSON in capitals", ["Application/JSON"], "application/json"),
        Case("JSON twice", ["application/json", "application/json"], "application/json"),
        Case("JSON with a parameter", ["application/json;a=b"], "application/json;a=b"),
        Case("nearly JSON", ["application/jsom"], "application/jsom"),
        Case("one with a parameter", ["text/html;charset=gbk"], "text/html;charset=gbk"),
        Case("space before the semicolon", ["application/json ; charset=x"], "application/json;charset=x"),
        Case("last wins", ["text/plain", "text/html"], "text/html"),
        Case("last wins in one field", ["text/plain, text/html"], "text/html"),
        Case(
            "the charset goes on to the same essence", ["text/html;charset=gbk", "text/html"], "text/html;charset=gbk"),
        Case("also past other parameters", ["text/html;charset=gbk", "text/html;x=1"], "text/html;x=1;charset=gbk"),
        Case("and twice", ["text/html;charset=gbk", "text/html;a=1", "text/html;b=2"], "text/html;b=2;charset=gbk"),
        Case("its own charset comes first", ["text/html;charset=a", "text/html;charset=b"], "text/html;charset=b"),
        Case("and is what goes on", ["a/b;charset=x", "a/b;charset=y", "a/b"], "a/b;charset=y"),
        Case("not to another essence", ["text/html;charset=gbk", "text/plain"], "text/plain"),
        Case(
            "nor back again", ["text/html;charset=gbk", "text/plain", "text/html"], "text/html"),
        Case("past a failure", ["text/html;charset=gbk", "nonsense", "text/html"], "text/html;charset=gbk"),
        Case("past a wildcard", ["text/html;charset=gbk", "*/*", "text/html"], "text/html;charset=gbk"),
        Case("failure at the end", ["text/html", "nonsense"], "text/html"),
        Case("failure at the start", ["nonsense", "text/html"], "text/html"),
        Case("empty field at the end", ["text/html", ""], "text/html"),
        Case("wildcard at the end", ["text/html", "*/*"], "text/html"),
        Case("wildcard with parameters at the end", ["text/html", "*/*;charset=gbk"], "text/html"),
        Case("half a wildcard is a type", ["text/html", "text/*"], "text/*"),
        Case("commas only", ["text/html,,,"], "text/html"),
        Case("comma in quotes", [#"text/html;x=",text/plain""#], #"text/html;x=",text/plain""#),
        Case("escaped quote before a comma", [#"text/html;x="\",text/plain""#], #"text/html;x="\",text/plain""#),
        Case("escaped backslash before the end of quotes", [#"text/html;x="\\",text/plain"#], "text/plain"),
        Case(
            "quote that goes on in the next field", [#"text/html;x=""#, #"text/plain"#], #"text/html;x=", text/plain""#),
        Case("quote in the middle of a value", [#"text/html;x=a"b,c";y=1"#], #"text/html;x="a\"b,c\"";y=1"#),
        Case("quotes twice in a value", [#"text/html;x="a,"b",c""#], #"text/html;x="a,""#),
        Case("tabs around commas", ["text/plain\t,\ttext/html\t"], "text/html"),
        Case("two spellings of a name", ["text/html;Charset=a;charset=b"], "text/html;charset=a"),
        Case("empty", [""], nil),
        Case("blank", [" \t"], nil),
        Case("wildcard", ["*/*"], nil),
        Case("wildcard with a parameter", ["*/*;charset=utf-8"], nil),
        Case("wildcards", ["*/*, */*", "*/*"], nil),
        Case("no slash", ["json"], nil),
        Case("nonsense", ["text/html text/plain", "/", ";"], nil),
    ])
    func extraction(_ table: Case) {
        let expected = table.expected.flatMap { MediaType(parsing: $0) }.map(ContentType.mediaType) ?? .invalid
        #expect(ContentType(rawValues: table.fields) == expected)
        #expect(ContentType(rawValues: table.fields).mediaType?.description == table.expected)
        let fields = HeaderFields(table.fields.map { ("content-TYPE", $0) })
        #expect(ContentType(fields) == expected)
    }

    @Test func missing() {
        #expect(ContentType(rawValues: []) == .missing)
        #expect(ContentType(["Content-Length": "3", "X-Content-Type": "text/html"]) == .missing)
        #expect(ContentType.missing.mediaType == nil)
        #expect(ContentType.invalid.mediaType == nil)
    }

    @Test func otherFieldsBetween() {
        let fields: HeaderFields = ["Content-Type": "a/b;charset=x", "Date": "now", "CONTENT-TYPE": "a/b"]
        #expect(ContentType(fields).mediaType?.description == "a/b;charset=x")
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("commas", String(repeating: ",", count: 1_000_000) + "a/b"),
            ("types", String(repeating: "a/b;charset=x,", count: 100_000) + "a/b"),
            ("quotes", String(repeating: "\"", count: 1_000_000) + ",a/b"),
        ])
    func longInput(_ name: String, _ input: String) {
        #expect(ContentType(rawValues: [input]).mediaType?.essence == "a/b", "\(name)")
    }
}
