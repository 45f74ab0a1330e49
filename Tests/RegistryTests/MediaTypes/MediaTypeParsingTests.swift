import PatchbayRegistry
import Testing

/// WHATWG MIME Sniffing, "parse a MIME type" and "serialize a MIME type".
@Suite struct MediaTypeParsingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let input: String
        /// The canonical text, or nil where parsing fails.
        let expected: String?

        init(_ name: String, _ input: String, _ expected: String?) {
            self.name = name
            self.input = input
            self.expected = expected
        }

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case("plain", "text/html", "text/html"),
        Case("upper case", "TEXT/HTML", "text/html"),
        Case("white space around", "\t\r\n text/html \n\r\t", "text/html"),
        Case("white space before the semicolon", "text/html \t;charset=utf-8", "text/html;charset=utf-8"),
        Case("every token character", "!#$%&'*+-.^_`|~0aZ/!#$%&'*+-.^_`|~0aZ", "!#$%&'*+-.^_`|~0az/!#$%&'*+-.^_`|~0az"),
        Case("wildcards are tokens", "*/*", "*/*"),
        Case("one letter each", "x/y", "x/y"),
        Case("structured suffix", "Application/Problem+JSON", "application/problem+json"),
    ])
    func essence(_ table: Case) {
        #expect(MediaType(parsing: table.input)?.description == table.expected)
    }

    @Test(arguments: [
        "", " ", "/", "text", "text/", "text/ ", "/html", " /html", "te xt/html", "text/ht ml", "text /html",
        "text/ html",
        "text/html,text/plain", "text/html/x", ";charset=utf-8", "text;charset=utf-8", "text/;charset=utf-8",
        "text\u{0}/html",
        "té/html", "text/é", "text/\u{7F}", "\u{C}text/html", "text/html\u{B}", "(text)/html", "text/<html>", "text/@",
        "text\\/x",
        "\u{A0}text/html", "\u{FEFF}text/html", "\"text\"/html", "text/\"html\"", "=/=", "text/html\u{0}",
    ])
    func failure(_ input: String) {
        #expect(MediaType(parsing: input) == nil)
    }

    @Test(arguments: [
        Case("quoted value that is a token", #"a/b;charset="utf-8""#, "a/b;charset=utf-8"),
        Case("upper-case name, value kept", "a/b;CHARSET=UTF-8", "a/b;charset=UTF-8"),
        Case("space behind the semicolon", "a/b; charset=utf-8", "a/b;charset=utf-8"),
        Case("line break behind the semicolon", "a/b;\r\n\tcharset=utf-8", "a/b;charset=utf-8"),
        Case("space behind the value", "a/b;x=1 ;y=2\t", "a/b;x=1;y=2"),
        Case("space before the equals sign", "a/b;x =1;y=2", "a/b;y=2"),
        Case("space behind the equals sign", "a/b;x= 1", #"a/b;x=" 1""#),
        Case("space inside a value", "a/b;x=1 2", #"a/b;x="1 2""#),
        Case("first duplicate wins", "a/b;x=1;x=2", "a/b;x=1"),
        Case("first duplicate wins, other case", "a/b;X=1;x=2", "a/b;x=1"),
        Case("dropped duplicate does not win", "a/b;x=\u{1};x=2", "a/b;x=2"),
        Case("order is kept", "a/b;z=1;y=2;x=3", "a/b;z=1;y=2;x=3"),
        Case("empty value is dropped", "a/b;x=;y=2", "a/b;y=2"),
        Case("blank value is dropped", "a/b;x= ;y=2", "a/b;y=2"),
        Case("empty quoted value is kept", #"a/b;x="";y=2"#, #"a/b;x="";y=2"#),
        Case("no name", "a/b;=1;y=2", "a/b;y=2"),
        Case("no equals sign", "a/b;x;y=2", "a/b;y=2"),
        Case("no equals sign at the end", "a/b;x", "a/b"),
        Case("equals sign at the end", "a/b;x=", "a/b"),
        Case("empty parameters", "a/b;;;;x=1;;", "a/b;x=1"),
        Case("blank parameters", "a/b; ; ;x=1; ", "a/b;x=1"),
        Case("name that is no token", "a/b;(x)=1;y=2", "a/b;y=2"),
        Case("name in quotes", #"a/b;"x"=1;y=2"#, "a/b;y=2"),
        Case("single quotes are token characters", "a/b;x='1'", "a/b;x='1'"),
        Case("second equals sign", "a/b;x=1=2", #"a/b;x="1=2""#),
        Case("comma in a value", "a/b;x=1,2", #"a/b;x="1,2""#),
        Case("escaped quote", #"a/b;x="1\"2""#, #"a/b;x="1\"2""#),
        Case("escaped backslash", #"a/b;x="1\\2""#, #"a/b;x="1\\2""#),
        Case("needless escape", #"a/b;x="\1""#, "a/b;x=1"),
        Case("semicolon in quotes", #"a/b;x="1;y=2";z=3"#, #"a/b;x="1;y=2";z=3"#),
        Case("text behind the quotes is dropped", #"a/b;x="1"2;y=3"#, "a/b;x=1;y=3"),
        Case("quote that never ends", #"a/b;x="1;y=2"#, #"a/b;x="1;y=2""#),
        Case("only a quote", #"a/b;x=""#, #"a/b;x="""#),
        Case("backslash at the end", #"a/b;x="1\"#, #"a/b;x="1\\""#),
        Case("quote inside an unquoted value", #"a/b;x=1"2"#, #"a/b;x="1\"2""#),
        Case("tab in a quoted value", "a/b;x=\"1\t2\"", "a/b;x=\"1\t2\""),
        Case("control in a value", "a/b;x=\u{1}", "a/b"),
        Case("control in a quoted value", "a/b;x=\"\u{7F}\";y=2", "a/b;y=2"),
        Case("line feed in a quoted value", "a/b;x=\"1\n2\";y=2", "a/b;y=2"),
        Case("escaped control", "a/b;x=\"\\\u{0}\";y=2", "a/b;y=2"),
        Case("Latin letters", "a/b;x=é", "a/b;x=\"é\""),
        Case("last letter of Latin-1", "a/b;x=\u{80}\u{FF}", "a/b;x=\"\u{80}\u{FF}\""),
        Case("letter beyond Latin-1", "a/b;x=\u{100};y=2", "a/b;y=2"),
        Case("letter beyond Latin-1 in quotes", "a/b;x=\"€\";y=2", "a/b;y=2"),
        Case("letter beyond the first plane", "a/b;x=😀;y=2", "a/b;y=2"),
        Case("escaped Latin letter", "a/b;x=\"\\é\"", "a/b;x=\"é\""),
        Case("letter beyond ASCII in a name", "a/b;é=1;y=2", "a/b;y=2"),
        Case(
            "what the issue shows", #"Application/Vnd.Acme+JSON; Charset="utf-8""#,
            "application/vnd.acme+json;charset=utf-8"),
    ])
    func parameters(_ table: Case) {
        #expect(MediaType(parsing: table.input)?.description == table.expected)
    }

    @Test(arguments: [2, 7, 8, 9, 40])
    func `of a parameter given twice the first counts, however many there are`(_ count: Int) throws {
        let once = (0..<count).map { ";p\($0)=first" }
        let again = (0..<count).reversed().map { ";P\($0)=again" }
        let type = try #require(MediaType(parsing: "a/b" + (once + again + [";p0=more", ";new=1", ";new=2"]).joined()))
        #expect(type.description == "a/b" + (once + [";new=1"]).joined())
    }

    @Test func serializingIsStable() throws {
        for input in [#"a/b;x="1\"2";y="";z=é;q="a b""#, "a/b", #"a/b;x="\\\"""#] {
            let once = try #require(MediaType(parsing: input))
            #expect(MediaType(parsing: once.description) == once)
        }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("parameters", "a/b" + (0..<60_000).map { ";p\($0)=1" }.joined()),
            ("semicolons", "a/b" + String(repeating: ";", count: 1_000_000)),
            ("backslashes", "a/b;x=\"" + String(repeating: "\\", count: 1_000_001)),
            ("blanks", "a/b;" + String(repeating: " ", count: 1_000_000) + "x=1"),
            ("a long type", String(repeating: "a", count: 1_000_000) + "/b"),
            ("equals signs", "a/b;" + String(repeating: "=;", count: 500_000)),
        ])
    func longInput(_ name: String, _ input: String) {
        #expect(MediaType(parsing: input) != nil)
    }

    /// Every prefix of a rich value and every single byte in its place is read without a trap.
    @Test func everyPrefixAndByte() {
        let rich = #" a/B ; c="d\"\\é;" ; e=f;g;=h,i/j"#
        var parsed = 0
        for end in rich.indices where MediaType(parsing: String(rich[..<end])) != nil { parsed += 1 }
        for byte in UInt8.min...UInt8.max {
            for position in 0..<rich.utf8.count {
                var bytes = Array(rich.utf8)
                bytes[position] = byte
                if MediaType(parsing: String(decoding: bytes, as: UTF8.self)) != nil { parsed += 1 }
            }
        }
        #expect(parsed > 4_000)
    }
}
