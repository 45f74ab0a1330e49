import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayPlugins

/// JSON text sequences (RFC 7464), wherever the pieces are cut.
@Suite struct JSONSequenceTests {
    private let head = Sample.head("application/json-seq")

    private func run(
        _ body: String, _ serializer: JSONSequenceSerializer = JSONSequenceSerializer(),
        limit: Int = .max
    ) throws -> ElementRun<JSON> {
        try ElementRun.everySplit(Self.body(body)) { try serializer.makeParser(head, maximumElementBytes: limit) }
    }

    /// `^` stands for the record separator, which cannot be seen.
    private static func body(_ text: String) -> [UInt8] { Array(text.replacing("^", with: "\u{1E}").utf8) }

    static let bodies: [(name: String, body: String, values: [JSON])] = [
        ("texts", "^{\"a\":1}\n^[2]\n^3\n^true\n", [["a": 1], [2], 3, true]),
        ("over several lines", "^{\n\"a\":\n1\n}\n^\n[\n]\n\n", [["a": 1], []]),
        ("empty ones are none", "^^\n^1\n^^2\n^ \n", [1, 2]),
        ("no LF where none is needed", "^[1]^{}^\"a\"", [[1], [:], "a"]),
        ("a blank in place of the LF", "^1 ^null\t", [1, .null]), ("nothing", "", []), ("blanks", " \n", []),
        ("a mark", "\u{FEFF}^1\n^[2]\n", [1, [2]]), ("a mark and blanks", "\u{FEFF} \n^1\n", [1]),
        ("a mark alone", "\u{FEFF}", []), ("a mark and an empty text", "\u{FEFF}^", []),
        ("escapes", #"^"\"\\\n"\#n^"\u001e"\#n"#, ["\"\\\n", "\u{1E}"]),
    ]

    @Test("the values of the texts, for every split", arguments: bodies)
    func bodyIsRead(_ name: String, _ body: String, _ values: [JSON]) throws {
        let run = try run(body)
        #expect(run.elements == values)
        #expect(run.failure == nil)
        #expect(try JSONSequenceSerializer().serialize(ResponseBody(Self.body(body)), head) == values)
    }

    static let failures: [(body: String, values: [JSON], failure: String, others: [JSON], skipped: Int)] = [
        (
            "^1\n^[2\n^3\n", [1], #"text 2: line 2, column 1: expected a comma or "]" before the end of the text"#,
            [1, 3], 1
        ),
        ("^1\n^2", [1], "text 2: it may be cut off: nothing is behind it", [1], 1),
        ("^1^2\n", [], "text 1: it may be cut off: nothing is behind it", [2], 1),
        ("^1\n^{\"a\":", [1], "text 2: line 1, column 6: expected a value before the end of the text", [1], 1),
        ("^1\n^\"a", [1], "text 2: line 1, column 1: the string that starts here has no end", [1], 1),
        (
            "1\n^2\n", [],
            #"text 1: expected a record separator; JSON without separators is for the factories "json" and "ndjson""#,
            [2], 1
        ),
        ("^1\n2\n3\n^4\n", [1], "text 1: expected a record separator", [1, 4], 1),
        ("\u{FEFF}\u{FEFF}^1\n", [], "text 1: expected a record separator", [1], 1),
        (" \u{FEFF}^1\n", [], "text 1: expected a record separator", [1], 1),
        (
            "\u{FEFF}1\n^2\n", [],
            #"text 1: expected a record separator; JSON without separators is for the factories "json" and "ndjson""#,
            [2], 1
        ),
        ("\u{FEFE}^1\n", [], "text 1: expected a record separator", [1], 1),
        ("^]\n^1\n", [], "text 1: line 1, column 1: expected a value", [1], 1),
        (
            "^[1^2\n3\n", [], #"text 1: line 1, column 3: expected a comma or "]" before the end of the text"#, [2], 2
        ),
    ]

    @Test("a bad text is an error with its number, or passed over and counted", arguments: failures.indices)
    func failureIsSaid(_ index: Int) throws {
        let (body, values, failure, others, skipped) = Self.failures[index]
        let strict = try run(body)
        #expect(strict.elements == values)
        #expect(strict.failure == failure)
        let lenient = try run(body, JSONSequenceSerializer(badTexts: .skip))
        #expect(lenient.elements == others)
        #expect(lenient.failure == nil)
        #expect(lenient.skipped == skipped)
    }

    @Test(
        "a part of a mark is no mark",
        arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x0A], [0xEF, 0x20]] as [[UInt8]])
    func partOfMark(_ bytes: [UInt8]) throws {
        for (rest, others) in [("", []), ("^1\n", [1])] as [(String, [JSON])] {
            let body = bytes + Self.body(rest)
            func run(_ bad: BadElements) throws -> ElementRun<JSON> {
                try ElementRun.everySplit(body) {
                    try JSONSequenceSerializer(badTexts: bad).makeParser(head, maximumElementBytes: .max)
                }
            }
            #expect(try run(.error).failure == "text 1: expected a record separator")
            let lenient = try run(.skip)
            #expect((lenient.elements, lenient.skipped) == (others, 1))
        }
    }

    @Test("a text is given when its LF has come, before the next one begins")
    func promptness() throws {
        var parser = try JSONSequenceSerializer().makeParser(of: [Int].self, head, maximumElementBytes: .max)
        var values: [[Int]] = []
        try parser.parse(Self.body("^[1,\n2]\n")) { values.append($0) }
        #expect(values == [[1, 2]])
    }

    @Test("a text that is too long is an error, after the values before it")
    func limit() throws {
        for (limit, texts) in [(5, Int.max), (.max, 5)] {
            let run = try run(
                "^1\n^[123]\n^[1234]\n", JSONSequenceSerializer(maximumTextBytes: texts), limit: limit)
            #expect(run.elements == [1, [123]])
            let owner = limit == 5 ? "" : ", the limit of its option maxTextBytes"
            #expect(run.failure == "an element is longer than 5 bytes\(owner)")
        }
    }

    @Test("garbage gives the same for every split")
    func garbage() throws {
        var random = SplitMix(seed: 15)
        let words = ["[", "]", "{", "}", "\"", "\\", ",", ":", "1", "null", " ", "\n", "\n", "^", "^", "é"]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            let run = try run(text, JSONSequenceSerializer(badTexts: .skip))
            #expect(run.failure == nil)
        }
    }

    @Test func conformance() async throws {
        try await checkConformance(
            of: JSONSequenceSerializer(),
            good: Self.bodies.map {
                ConformanceSample($0.name, Self.body($0.body), contentType: "application/json-seq")
            },
            bad: [
                ConformanceSample(
                    "cut off", Self.body("^[1]\n^[\"no end of this text"), contentType: "application/json-seq")
            ])
    }
}
