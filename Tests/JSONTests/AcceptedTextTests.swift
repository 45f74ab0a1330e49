import PatchbayJSON
import Testing

@Suite struct AcceptedTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let expected: JSON
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ expected: JSON) {
            self.name = name
            self.text = text
            self.expected = expected
        }
    }

    static let cases: [Case] = [
        Case("null", "null", nil),
        Case("true", "true", true),
        Case("false", "false", false),
        Case("fragment in blanks", " \t\r\n\"a\"\n", "a"),
        Case("empty array", "[]", []),
        Case("empty array with blank", "[ ]", []),
        Case("empty object", "{}", [:]),
        Case("empty object with blanks", "{\n\t}", [:]),
        Case("array of every kind", #"[null,true,false,1,"",[],{}]"#, [nil, true, false, 1, "", [], [:]]),
        Case("blanks everywhere", " [ 1 , { \"a\" : [ ] , \"b\" : 2 } ] ", [1, ["a": [], "b": 2]]),
        Case("nested containers", "[[],[[]],[[[]]]]", [[], [[]], [[[]]]]),
        Case("after a nested container", #"{"a":{"b":1},"c":[2],"d":3}"#, ["a": ["b": 1], "c": [2], "d": 3]),
        Case("empty key", #"{"":0}"#, ["": 0]),
        Case("short escapes", #""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        Case("escaped key", #"{"\u0061":1}"#, ["a": 1]),
        Case("escape of one byte", #""\u0041\u007f""#, "A\u{7f}"),
        Case("escape of two bytes", #""\u0080\u07FF""#, "\u{80}\u{7ff}"),
        Case("escape of three bytes", #""\u0800\uffff\ud7ff\ue000""#, "\u{800}\u{ffff}\u{d7ff}\u{e000}"),
        Case("escaped pair", #""\uD83D\uDE00 \udbff\udfff""#, "😀 \u{10ffff}"),
        Case("escaped NUL", #""a\u0000b""#, "a\0b"),
        Case("UTF-8 of each length", "\"é€😀\"", "é€😀"),
        Case("UTF-8 next to escapes", #""é\né\u00e9""#, "é\né\u{e9}"),
        Case("DEL and noncharacters", "\"\u{7f}\u{fffe}\u{10ffff}\"", "\u{7f}\u{fffe}\u{10ffff}"),
        Case("a string longer than one chunk", "\"abcdefghijklmnopqrstuvwxyz\"", "abcdefghijklmnopqrstuvwxyz"),
        Case(
            "a stop in every place of a chunk",
            #"["\n","a\n","ab\n","abc\n","abcd\n","abcde\n","abcdef\n","abcdefg\n"]"#,
            ["\n", "a\n", "ab\n", "abc\n", "abcd\n", "abcde\n", "abcdef\n", "abcdefg\n"]),
        Case("comment marks in a string", #""/* // */""#, "/* // */"),
        Case("braces in a string", #"["]","}",",",":"]"#, ["]", "}", ",", ":"]),
    ]

    @Test(arguments: cases) func parses(_ item: Case) throws {
        let value = try JSON(parsing: item.text)
        #expect(value == item.expected)
        #expect(value.kind == item.expected.kind)
        #expect(try JSON(parsing: value.description) == item.expected)
        #expect(try JSON(parsing: value.serialized(pretty: true, sortedKeys: true)) == item.expected)
    }

    @Test func acceptsOneByteOrderMark() throws {
        #expect(try JSON(parsing: [0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == [1])
    }

    @Test func readsEverySource() throws {
        let bytes = Array(#"{"a":[1]}"#.utf8)
        let expected: JSON = ["a": [1]]
        #expect(try JSON(parsing: bytes) == expected)
        #expect(try bytes.withUnsafeBytes { try JSON(parsing: $0) } == expected)
    }

    @Test func holdsTheDeepestAllowedNesting() throws {
        let text = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let value = try JSON(parsing: text)
        #expect(value.description == text)
        #expect(try value == JSON(parsing: text))
        #expect(try value.hashValue == JSON(parsing: text).hashValue)
    }
}
