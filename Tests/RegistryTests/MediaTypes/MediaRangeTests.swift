import PatchbayRegistry
import Testing

@Suite struct MediaRangeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pattern: String
        let matching: [String]
        let others: [String]

        init(_ pattern: String, matches matching: [String], not others: [String]) {
            self.pattern = pattern
            self.matching = matching
            self.others = others
        }

        var testDescription: String { pattern }
    }

    @Test(arguments: [
        Case(
            "application/json", matches: ["application/json", "APPLICATION/JSON; charset=x"],
            not: ["text/json", "application/json5", "application/x+json"]),
        Case(
            "Text/*", matches: ["text/plain", "text/*", "TEXT/x"], not: ["texts/plain", "tex/t", "application/text"]),
        Case("*/*", matches: ["a/b", "text/html;x=1"], not: []),
        Case(
            "+json", matches: ["a/b+json", "x/+JSON"], not: ["application/json", "a/b+jsonx", "a/json", "a/b+json+xml"]),
        Case(
            "application/*+xml", matches: ["application/a+xml"],
            not: ["image/svg+xml", "application/xml", "application/a+json"]),
        Case(
            "@json", matches: ["application/json", "text/json", "a/b+json"],
            not: ["application/jsonp", "application/json5", "text/javascript", "application/x-json"]),
        Case(
            "@xml", matches: ["text/xml", "application/xml", "image/svg+xml"],
            not: ["text/html", "application/xml-dtd"]),
        Case("@image", matches: ["image/png", "image/svg+xml"], not: ["application/image"]),
        Case(
            "@audio-or-video", matches: ["audio/mpeg", "video/mp4", "application/ogg"],
            not: ["image/gif", "application/mp4"]),
        Case(
            "@font",
            matches: [
                "font/woff2", "application/font-cff", "application/font-off", "application/font-sfnt",
                "application/font-ttf", "application/font-woff", "application/vnd.ms-fontobject",
                "application/vnd.ms-opentype",
            ], not: ["application/font-woff2", "application/x-font-ttf"]),
        Case("@zip-based", matches: ["application/zip", "application/epub+zip"], not: ["application/x-gzip"]),
        Case(
            "@archive", matches: ["application/zip", "application/x-gzip", "application/x-rar-compressed"],
            not: ["application/epub+zip", "application/gzip"]),
        Case("@html", matches: ["text/html"], not: ["application/xhtml+xml"]),
        Case(
            "@javascript",
            matches: [
                "application/ecmascript", "application/javascript", "application/x-ecmascript",
                "application/x-javascript", "text/ecmascript", "text/javascript", "text/javascript1.0",
                "text/javascript1.1", "text/javascript1.2", "text/javascript1.3", "text/javascript1.4",
                "text/javascript1.5", "text/jscript", "text/livescript", "text/x-ecmascript", "text/x-javascript",
            ], not: ["text/javascript1.6", "application/json", "text/typescript"]),
        Case(
            "@scriptable", matches: ["text/html", "application/pdf", "image/svg+xml", "text/xml"],
            not: ["text/javascript", "text/plain"]),
        Case(
            "text/plain;format=flowed", matches: ["text/plain;format=flowed", "text/plain;charset=x;FORMAT=flowed"],
            not: ["text/plain", "text/plain;format=Flowed", "text/html;format=flowed"]),
        Case(
            "text/*;charset=UTF-8", matches: ["text/x;charset=utf-8", "text/x;Charset=\"Utf-8\""],
            not: ["text/x", "text/x;charset=utf8"]),
        Case("+json;a=1;b=2", matches: ["x/y+json;b=2;c=3;a=1"], not: ["x/y+json;a=1", "x/y+json;b=2"]),
        Case("*/*;q=\"a;b\"", matches: ["x/y;q=\"a;b\""], not: ["x/y;q=a"]),
        Case("@json;profile=\"a b\"", matches: ["text/json;profile=\"a b\""], not: ["text/json"]),
    ])
    func matching(_ table: Case) throws {
        let range = try MediaRange(table.pattern)
        for input in table.matching { #expect(range.matches(try #require(MediaType(parsing: input))), "\(input)") }
        for input in table.others { #expect(!range.matches(try #require(MediaType(parsing: input))), "\(input)") }
    }

    @Test func everyGroupHasACase() {
        let tested = [
            "json", "xml", "image", "audio-or-video", "font", "zip-based", "archive", "html", "javascript",
            "scriptable",
        ]
        #expect(Set(MediaTypeGroup.allCases.map(\.rawValue)) == Set(tested))
    }

    @Test(arguments: [
        ("Application/JSON", "application/json"), ("*/*", "*/*"), ("TEXT/*", "text/*"), ("+XML", "+xml"),
        ("image/*+XML", "image/*+xml"), ("@JSON", "@json"), ("@audio-or-video", "@audio-or-video"),
        ("a/b ; C=\"d\" ;\te=f", "a/b;c=d;e=f"), ("a/b;charset=UTF-8", "a/b;charset=utf-8"),
        ("a/b;x=\"\"", "a/b;x=\"\""), ("a/b;x=\"1 2\"", "a/b;x=\"1 2\""), (" a/b ", "a/b"),
    ])
    func canonicalSpelling(_ pattern: String, _ expected: String) throws {
        let range = try MediaRange(pattern)
        #expect(range.description == expected)
        #expect(try MediaRange(expected) == range)
    }

    @Test(arguments: [
        ("application/json", ["application/json"]), ("text/plain;charset=x", ["text/plain;charset=x"]),
        ("text/*", ["text/*"]),
        ("*/*", []), ("@json", ["application/json"]), ("@xml", ["application/xml", "text/xml"]), ("+json", []),
        ("text/*+xml", []), ("@image", []), ("@html", []), ("@scriptable", []),
        ("a/b;Q=0.5;V=\"1,2\"", ["a/b;v=\"1,2\""]), ("text/*;v=2", ["text/*;v=2"]),
        ("@json;v=2", ["application/json;v=2"]),
    ])
    func accept(_ pattern: String, _ expected: [String]) throws {
        #expect(try MediaRange(pattern).acceptTypes == expected)
    }

    @Test(
        arguments: [
            ("", "an empty string is no media range", "*/*"),
            ("*", "\"*\" has no slash", "*/*"),
            ("*+json", "\"*+json\" has no slash", "+json"),
            ("json", "\"json\" has no slash", "@json"),
            ("json+", "\"json+\" has no slash", "+json"),
            ("csv", "\"csv\" has no slash", "text/csv"),
            ("html", "\"html\" has no slash", "text/html"),
            ("xlm", "\"xlm\" has no slash", "@xml"),
            ("imag", "\"imag\" has no slash", "@image"),
            ("text", "\"text\" has no slash", "text/*"),
            ("aplication", "\"aplication\" has no slash", "application/*"),
            ("*/json", "\"*/json\" has a subtype but any type, which no pattern can say", nil),
            ("*/*+json", "\"*/*+json\" has a subtype but any type, which no pattern can say", "+json"),
            ("/json", "\"/json\" has an empty type", nil),
            ("text/", "\"text/\" has an empty subtype", nil),
            ("+", "\"+\" has an empty suffix", nil),
            ("text/*+", "\"text/*+\" has an empty suffix", nil),
            ("+a+b", "\"+a+b\" can match nothing: a suffix is what follows the last plus sign", "+b"),
            ("+a+", "\"+a+\" can match nothing: a suffix is what follows the last plus sign", nil),
            ("te*t/plain", "\"te*t/plain\" has a * inside its type; a * stands for a whole one", nil),
            ("text/pl*", "\"text/pl*\" has a * inside its subtype; a * stands for a whole one", nil),
            ("text/**", "\"text/**\" has a * inside its subtype; a * stands for a whole one", nil),
            ("+js*n", "\"+js*n\" has a * inside its suffix; a * stands for a whole one", nil),
            ("text/a b", "\"text/a b\" has a space (U+0020) in its subtype, which no media type has", nil),
            ("tëxt/a", "\"tëxt/a\" has ë in its type, which no media type has", nil),
            ("a/b/c", "\"a/b/c\" has / in its subtype, which no media type has", nil),
            ("a/b,c/d", "\"a/b,c/d\" has , in its subtype, which no media type has", nil),
            ("a/b;", "\"a/b;\" has a parameter that is not of the form name=value", nil),
            ("a/b;c", "\"a/b;c\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=", "\"a/b;c=\" has a parameter that is not of the form name=value", nil),
            ("a/b;=d", "\"a/b;=d\" has a parameter that is not of the form name=value", nil),
            ("a/b;c =d", "\"a/b;c =d\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=d e", "\"a/b;c=d e\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=\"d\"e", "\"a/b;c=\"d\"e\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=\"d", "\"a/b;c=\"d\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=\"d\\\"", "\"a/b;c=\"d\\\"\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=\"€\"", "\"a/b;c=\"€\"\" has a parameter that is not of the form name=value", nil),
            ("a/b;c=d;C=e", "\"a/b;c=d;C=e\" names the parameter \"c\" twice", nil),
        ] as [(String, String, String?)])
    func refused(_ pattern: String, _ reason: String, _ suggestion: String?) {
        #expect(throws: PatternFailure(reason, suggestion: suggestion)) { try MediaRange(pattern) }
    }

    @Test func unknownGroup() throws {
        let error = try #require(throws: PatternFailure.self) { try MediaRange("@javscript") }
        #expect(
            error.description
                == "\"@javscript\" is no group; the groups are @json @xml @image @font @archive @html @javascript @scriptable "
                + "@audio-or-video @zip-based; did you mean \"@javascript\"?")
        #expect(try #require(throws: PatternFailure.self) { try MediaRange("@") }.suggestion == nil)
        #expect(try #require(throws: PatternFailure.self) { try MediaRange("@quantum") }.suggestion == nil)
    }

    @Test func lengthCap() throws {
        let fitting = "a/" + String(repeating: "b", count: 254)
        #expect(try MediaRange(fitting).description == fitting)
        #expect(throws: PatternFailure("the pattern is 257 bytes long and 256 are allowed")) {
            try MediaRange(fitting + "b")
        }
    }
}
