import PatchbayJSON
import Testing

@Suite struct RefusedTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let reason: JSON.ParseFailure.Reason
        let description: String
        let offset: Int
        var testDescription: String { name }

        init(
            _ name: String, _ bytes: [UInt8], _ reason: JSON.ParseFailure.Reason, _ description: String, at offset: Int
        ) {
            self.name = name
            self.bytes = bytes
            self.reason = reason
            self.description = description
            self.offset = offset
        }

        init(
            _ name: String, _ text: String, _ reason: JSON.ParseFailure.Reason, _ description: String, at offset: Int
        ) {
            self.init(name, Array(text.utf8), reason, description, at: offset)
        }
    }

    static let structure: [Case] = [
        Case("nothing", "", .empty, "line 1, column 1: the text is empty", at: 0),
        Case("only a mark", [0xEF, 0xBB, 0xBF], .empty, "line 1, column 1: the text is empty", at: 3),
        Case(
            "only blanks", " \n ", .unexpectedEnd, "line 2, column 2: expected a value before the end of the text",
            at: 3),
        Case(
            "two marks", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31], .value, "line 1, column 1: expected a value", at: 3
        ),
        Case("word", "nul", .value, "line 1, column 1: expected a value", at: 0),
        Case("capital word", "True", .value, "line 1, column 1: expected a value", at: 0),
        Case(
            "word with more", "nullx", .trailingText,
            "line 1, column 5: expected nothing after the end of the document", at: 4),
        Case(
            "two documents", "1 2", .trailingText, "line 1, column 3: expected nothing after the end of the document",
            at: 2),
        Case(
            "closed twice", "[]]", .trailingText, "line 1, column 3: expected nothing after the end of the document",
            at: 2),
        Case("comment", "/* */1", .value, "line 1, column 1: expected a value", at: 0),
        Case("single quotes", "['a']", .value, "line 1, column 2: expected a value", at: 1),
        Case("open array", "[", .unexpectedEnd, "line 1, column 2: expected a value before the end of the text", at: 1),
        Case(
            "open array after element", "[1", .unexpectedEnd,
            #"line 1, column 3: expected a comma or "]" before the end of the text"#, at: 2),
        Case("open object", "{", .unexpectedEnd, "line 1, column 2: expected a key before the end of the text", at: 1),
        Case(
            "open object after key", #"{"a""#, .unexpectedEnd,
            "line 1, column 5: expected a colon before the end of the text", at: 4),
        Case(
            "open object after colon", #"{"a":"#, .unexpectedEnd,
            "line 1, column 6: expected a value before the end of the text", at: 5),
        Case(
            "open object after member", #"{"a":1"#, .unexpectedEnd,
            #"line 1, column 7: expected a comma or "}" before the end of the text"#, at: 6),
        Case("comma first in array", "[,1]", .value, "line 1, column 2: expected a value", at: 1),
        Case("comma last in array", "[1,]", .value, "line 1, column 4: expected a value", at: 3),
        Case("two commas", "[1,,2]", .value, "line 1, column 4: expected a value", at: 3),
        Case(
            "no comma in array", "[1\n 2]", .separator,
            #"line 2, column 2: expected a comma or "]" after an array element"#, at: 4),
        Case("comma last in object", #"{"a":1,}"#, .key, "line 1, column 8: expected a key in double quotes", at: 7),
        Case("comma first in object", #"{,"a":1}"#, .key, "line 1, column 2: expected a key in double quotes", at: 1),
        Case("bare key", "{a:1}", .key, "line 1, column 2: expected a key in double quotes", at: 1),
        Case("number as key", "{1:1}", .key, "line 1, column 2: expected a key in double quotes", at: 1),
        Case("no colon", #"{"a" 1}"#, .colon, "line 1, column 6: expected a colon after a key", at: 5),
        Case("comma for colon", #"{"a",1}"#, .colon, "line 1, column 5: expected a colon after a key", at: 4),
        Case(
            "no comma in object", #"{"a":1 "b":2}"#, .separator,
            #"line 1, column 8: expected a comma or "}" after an object member"#, at: 7),
        Case(
            "array closed as object", "[1}", .separator,
            #"line 1, column 3: expected a comma or "]" after an array element"#, at: 2),
        Case(
            "object closed as array", #"{"a":1]"#, .separator,
            #"line 1, column 7: expected a comma or "}" after an object member"#, at: 6),
        Case("form feed is no blank", "\u{c}1", .value, "line 1, column 1: expected a value", at: 0),
        Case("no-break space is no blank", "\u{a0}1", .value, "line 1, column 1: expected a value", at: 0),
        Case(
            "NUL after the document", "1\0", .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
        Case(
            "NUL at the end", "[1]\0", .trailingText,
            "line 1, column 4: expected nothing after the end of the document", at: 3),
    ]

    static let numbers: [Case] = [
        Case("leading zero", "01", .number, "line 1, column 1: a number does not start with a needless zero", at: 0),
        Case(
            "leading zero after minus", "-012", .number,
            "line 1, column 2: a number does not start with a needless zero", at: 1),
        Case("two zeros", "00", .number, "line 1, column 1: a number does not start with a needless zero", at: 0),
        Case("minus alone", "-", .number, "line 1, column 2: expected a digit", at: 1),
        Case("two minuses", "--1", .number, "line 1, column 2: expected a digit", at: 1),
        Case("plus", "+1", .value, "line 1, column 1: expected a value", at: 0),
        Case("point first", ".5", .value, "line 1, column 1: expected a value", at: 0),
        Case("minus point", "-.5", .number, "line 1, column 2: expected a digit", at: 1),
        Case("point last", "1.", .number, "line 1, column 3: expected a digit after the decimal point", at: 2),
        Case(
            "point then exponent", "1.e5", .number, "line 1, column 3: expected a digit after the decimal point", at: 2),
        Case("exponent without digits", "1e", .number, "line 1, column 3: expected a digit in the exponent", at: 2),
        Case("exponent with only a sign", "1E+", .number, "line 1, column 4: expected a digit in the exponent", at: 3),
        Case(
            "hexadecimal", "0x1F", .trailingText, "line 1, column 2: expected nothing after the end of the document",
            at: 1),
        Case(
            "grouping", "[1_000]", .separator, #"line 1, column 3: expected a comma or "]" after an array element"#,
            at: 2),
        Case("NaN", "NaN", .value, "line 1, column 1: expected a value", at: 0),
        Case("Infinity", "-Infinity", .number, "line 1, column 2: expected a digit", at: 1),
        Case(
            "too large", "[1e400]", .numberRange,
            "line 1, column 2: the number is too large for 64 bits and for a Double", at: 1),
        Case(
            "too large, negative", "-1e309", .numberRange,
            "line 1, column 1: the number is too large for 64 bits and for a Double", at: 0),
        Case(
            "too many digits", String(repeating: "9", count: 400), .numberRange,
            "line 1, column 1: the number is too large for 64 bits and for a Double", at: 0),
    ]

    static let strings: [Case] = [
        Case("no end", #"["abc"#, .unexpectedEnd, "line 1, column 2: the string that starts here has no end", at: 1),
        Case(
            "no end after escape", #""abc\""#, .unexpectedEnd,
            "line 1, column 1: the string that starts here has no end", at: 0),
        Case("ends in a backslash", #""abc\"#, .escape, "line 1, column 5: an escape sequence is cut off", at: 4),
        Case(
            "line feed", "\"a\nb\"", .controlCharacter,
            "line 1, column 3: a control character in a string must be escaped", at: 2),
        Case(
            "tab", "\"\t\"", .controlCharacter, "line 1, column 2: a control character in a string must be escaped",
            at: 1),
        Case(
            "NUL", "\"aa\0\"", .controlCharacter, "line 1, column 4: a control character in a string must be escaped",
            at: 3),
        Case(
            "control far inside", "\"0123456789\u{1f}\"", .controlCharacter,
            "line 1, column 12: a control character in a string must be escaped", at: 11),
        Case(
            "unknown escape", #""\x41""#, .escape,
            "line 1, column 2: a backslash is followed by a character that cannot be escaped", at: 1),
        Case(
            "capital escape", #""\N""#, .escape,
            "line 1, column 2: a backslash is followed by a character that cannot be escaped", at: 1),
        Case(
            "short unicode escape", #""\u12""#, .escape,
            #"line 1, column 2: expected four hexadecimal digits after \u"#, at: 1),
        Case(
            "cut unicode escape", #""\u12"#, .escape, #"line 1, column 2: expected four hexadecimal digits after \u"#,
            at: 1),
        Case(
            "wrong unicode escape", #""\u00G0""#, .escape,
            #"line 1, column 2: expected four hexadecimal digits after \u"#, at: 1),
        Case(
            "lone high surrogate", #""\ud800""#, .surrogate,
            "line 1, column 2: an escaped surrogate is not part of a pair", at: 1),
        Case(
            "lone low surrogate", #""a\udc00""#, .surrogate,
            "line 1, column 3: an escaped surrogate is not part of a pair", at: 2),
        Case(
            "low surrogate twice", #""\udc00\udc00""#, .surrogate,
            "line 1, column 2: an escaped surrogate is not part of a pair", at: 1),
        Case(
            "high surrogate twice", #""\ud800\ud800""#, .surrogate,
            "line 1, column 2: an escaped surrogate is not part of a pair", at: 1),
        Case(
            "high surrogate then text", #""\ud800abcdefg""#, .surrogate,
            "line 1, column 2: an escaped surrogate is not part of a pair", at: 1),
        Case(
            "pair swapped", #""\ude00\ud83d""#, .surrogate,
            "line 1, column 2: an escaped surrogate is not part of a pair", at: 1),
        Case(
            "pair cut off", #""\ud83d\ude"#, .escape, #"line 1, column 2: expected four hexadecimal digits after \u"#,
            at: 1),
    ]

    static let encodings: [Case] = [
        Case("lone continuation", [0x22, 0x80, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case("Latin-1", [0x22, 0x61, 0xE9, 0x22], .utf8, "line 1, column 3: the bytes here are not UTF-8", at: 2),
        Case(
            "overlong slash", [0x22, 0xC0, 0xAF, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case("overlong C1", [0x22, 0xC1, 0xBF, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "overlong three", [0x22, 0xE0, 0x9F, 0xBF, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8",
            at: 1),
        Case(
            "overlong four", [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], .utf8,
            "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "encoded surrogate", [0x22, 0xED, 0xA0, 0x80, 0x22], .utf8,
            "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "beyond Unicode", [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .utf8,
            "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "F5", [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case("FF", [0x22, 0xFF, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "cut by the quote", [0x22, 0xE2, 0x82, 0x22], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1
        ),
        Case(
            "cut by the end", [0x22, 0xF0, 0x9F, 0x98], .utf8, "line 1, column 2: the bytes here are not UTF-8", at: 1),
        Case(
            "second sequence wrong", [0x22, 0xC3, 0xA9, 0xC3, 0x22], .utf8,
            "line 1, column 3: the bytes here are not UTF-8", at: 3),
        Case(
            "UTF-16 LE with mark", [0xFF, 0xFE, 0x31, 0x00], .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
        Case(
            "UTF-16 BE with mark", [0xFE, 0xFF, 0x00, 0x31], .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
        Case(
            "UTF-16 LE", [0x5B, 0x00, 0x5D, 0x00], .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
        Case(
            "UTF-16 BE", [0x00, 0x5B, 0x00, 0x5D], .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
        Case(
            "UTF-32 BE", [0x00, 0x00, 0x00, 0x31], .encoding,
            "line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8", at: 0),
    ]

    @Test(arguments: structure + numbers + strings + encodings) func refuses(_ item: Case) {
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: item.bytes) }
        #expect(failure?.description == item.description)
        #expect(failure?.reason == item.reason)
        #expect(failure?.offset == item.offset)
    }

    @Test(arguments: [
        ("brackets", "["), ("objects", #"{"a":"#), ("mixed", #"[{"a":"#),
    ])
    func stopsAtTheDepthLimit(_ name: String, _ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: text) }
        #expect(failure?.reason == .depth)
        #expect(failure?.message == "more than 512 containers are open here")
    }

    @Test func depthLimitIsExact() throws {
        let options = JSON.ParseOptions(maximumDepth: 3)
        #expect(try JSON(document: "[[[],[]],[[]]]", options: options).count == 2)
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: "[[[[]]]]", options: options) }
        #expect(failure?.offset == 3)
    }

    @Test(arguments: ["1", "\"a\"", " null", "\ntrue"]) func refusesFragments(_ text: String) {
        let options = JSON.ParseOptions(allowsFragments: false)
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: options) }
        #expect(failure?.reason == .fragment)
        #expect(failure?.message == "expected an object or an array")
        #expect(failure?.offset == text.utf8.count - text.drop(while: \.isWhitespace).utf8.count)
    }

    @Test func acceptsContainersWithoutFragments() throws {
        let options = JSON.ParseOptions(allowsFragments: false)
        #expect(try JSON(document: "[]", options: options) == [])
        #expect(try JSON(document: "{}", options: options) == [:])
    }

    @Test(arguments: [
        ("LF", "[\n\n x]", 3, 2), ("CR LF", "[\r\n\r\n x]", 3, 2), ("CR", "[\r\r x]", 3, 2),
        ("scalars before", "[\"é😀\", x]", 1, 8), ("after a mark", "\u{feff}[x]", 1, 2),
    ])
    func countsLinesAndColumns(_ name: String, _ text: String, _ line: Int, _ column: Int) {
        let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: text) }
        #expect(failure?.line == line)
        #expect(failure?.column == column)
    }
}
