import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayPlugins

/// A JSON text a line, wherever the pieces are cut.
@Suite struct NDJSONTests {
    private let head = Sample.head("application/x-ndjson")

    private func run(
        _ body: String, _ serializer: NDJSONSerializer = NDJSONSerializer(), limit: Int = .max
    )
        throws -> ElementRun<JSON>
    {
        try ElementRun.everySplit(body) { try serializer.makeParser(head, maximumElementBytes: limit) }
    }

    static let bodies: [(name: String, body: String, values: [JSON])] = [
        ("lines", "{\"a\":1}\n[2]\n3\n", [["a": 1], [2], 3]), ("no last end", "1\n2", [1, 2]),
        ("CRLF", "1\r\n2\r\n", [1, 2]), ("both", "1\n2\r\n3\r\n4\n", [1, 2, 3, 4]),
        ("a CR alone is a blank", "[1,\r2]\r\n", [[1, 2]]),
        ("blank lines", "\n\n1\n  \t\r\n\n2\n \r", [1, 2]), ("a mark", "\u{FEFF}1\n2\n", [1, 2]),
        ("a mark alone", "\u{FEFF}\n1", [1]), ("line ends in strings", #""a\nb""# + "\n", ["a\nb"]),
        ("beyond ASCII", "\"é日\"\n\"🙂\"", ["é日", "🙂"]), ("nothing", "", []), ("null", "null\nnull", [.null, .null]),
    ]

    @Test("the values of the lines, for every split", arguments: bodies)
    func bodyIsRead(_ name: String, _ body: String, _ values: [JSON]) throws {
        let run = try run(body)
        #expect(run.elements == values)
        #expect(run.failure == nil)
        #expect(try NDJSONSerializer().serialize(Sample.body(body), head) == values)
    }

    static let failures: [(body: String, values: [JSON], failure: String)] = [
        ("\u{FEFF}\u{FEFF}1\n", [], "line 1, column 1: expected a value"),
        ("1\n\n[2\n3\n", [1], #"line 3, column 3: expected a comma or "]" before the end of the text"#),
        ("1\n{\"a\"}", [1], "line 2, column 5: expected a colon after a key"),
        ("x\n", [], "line 1, column 1: expected a value"),
        ("1 2\n", [], "line 1, column 3: expected nothing after the end of the document"),
        ("[\r1 2]\n", [], #"line 1: line 2, column 3: expected a comma or "]" after an array element"#),
    ]

    @Test("a bad line is an error with its number, after the values before it", arguments: failures)
    func failureIsSaid(_ body: String, _ values: [JSON], _ failure: String) throws {
        let run = try run(body)
        #expect(run.elements == values)
        #expect(run.failure == failure)
    }

    @Test("or it is passed over and counted, by option")
    func skipped() throws {
        let run = try run("1\nx\n[\n2\n}", NDJSONSerializer(badLines: .skip))
        #expect(run.elements == [1, 2])
        #expect(run.failure == nil)
        #expect(run.skipped == 3)
        let typed = try ElementRun.everySplit("1\n\"a\"\n2\nx") {
            try NDJSONSerializer(badLines: .skip).makeParser(of: Int.self, head, maximumElementBytes: .max)
        }
        #expect(typed.elements == [1, 2])
        #expect(typed.skipped == 2)
    }

    private struct Row: Decodable, Equatable {
        let firstName: String
    }

    @Test("values of a type, by the options of the entry")
    func decoded() throws {
        var serializer = NDJSONSerializer()
        serializer.json.coding.keys = .snakeCase
        let run = try ElementRun.everySplit("{\"first_name\":\"a\"}\n{\"first_name\":\"b\"}\n{}") {
            try serializer.makeParser(of: Row.self, head, maximumElementBytes: .max)
        }
        #expect(run.elements == [Row(firstName: "a"), Row(firstName: "b")])
        #expect(run.failure == #"line 3: the key "firstName" is missing"#)
        serializer.json.removeNulls = .keys
        #expect(try serializer.serialize(Sample.body("{\"a\":null}\nnull"), head) == [[:], .null])
    }

    @Test("a line that is too long is an error, after the values before it and whatever becomes of bad ones")
    func limit() throws {
        for (limit, lines) in [(4, Int.max), (.max, 4)] {
            let serializer = NDJSONSerializer(badLines: .skip, maximumLineBytes: lines)
            let run = try run("1\n2345\n67890\n1", serializer, limit: limit)
            #expect(run.elements == [1, 2345])
            let owner = limit == 4 ? "" : ", the limit of its option maxLineBytes"
            #expect(run.failure == "an element is longer than 4 bytes\(owner)")
        }
        #expect(NDJSONSerializer().maximumLineBytes == 16 << 20)
    }

    @Test("garbage gives what each of its lines is, for every split")
    func garbage() throws {
        var random = SplitMix(seed: 14)
        let words = ["[", "]", "{", "}", "\"", "\\", ",", ":", "1", "null", " ", "\n", "\n", "\r\n", "\r", "é"]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            let run = try run(text, NDJSONSerializer(badLines: .skip))
            let lines = Array(text.utf8).split(separator: 0x0A).map(Array.init)
                .filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x0D } }
            #expect(run.elements == lines.compactMap { try? JSON(parsing: $0) })
            #expect(run.skipped == lines.count - run.elements.count)
        }
    }

    @Test func conformance() async throws {
        try await checkConformance(
            of: NDJSONSerializer(),
            good: Self.bodies.map { ConformanceSample($0.name, text: $0.body, contentType: "application/x-ndjson") },
            bad: [
                ConformanceSample(
                    "a bad line", text: "[1]\n[\"no end of this line\n", contentType: "application/x-ndjson")
            ])
    }

    /// Lines that a parser for many of them might take for others.
    private static let lines: [String] = [
        #"{"a":1}"#, #"[1,{"b":[true,null]},"é日🙂"]"#, "[]", "{}", "3", #""text""#, "null", "", " \t", "[1", "2]", "[1,",
        "2],3",
        #"{"a":1} {"b":2}"#, "[1]x", "[1],", #"{"a":"#, #""b"}"#, #"["a"#, #"b"]"#, "[-0]", "[-0.0]",
        "[0.1234567890123456789]",
        "[12345678901234567890]", "[1e400]", #"{"a":1,"b":2,"a":3}"#, #"  [ 1 , 2 ]  \#r"#, "[1]\u{C}", "\u{C}[1]",
        "\u{FEFF}[1]", "]",
        #"["\u00e9\ud83d\ude42\n"]"#, #"["\ud83d"]"#, "[\"\u{1}\"]", "[\u{0}1]", "[[[[[[1]]]]]]", "[01]", "[1.]",
        "[tru]", "[1 2]",
        #"{"name":"\#(String(repeating: "long ", count: 40))","values":[1.5,-2,3e2]}"#,
    ]

    /// What each line is alone, with the parser that reads no two at once.
    private func expected(_ lines: [[UInt8]], _ options: JSON.ParseOptions) -> (values: [String], bad: [Int]) {
        var (values, bad): ([String], [Int]) = ([], [])
        for (index, line) in lines.enumerated() {
            line.withUnsafeBytes { bytes in
                let text = index == 0 ? bytes.withoutMark : bytes
                guard !text.isBlank else { return }
                do {
                    values.append(try JSON(plainlyParsing: text, options: options).serialized())
                } catch {
                    bad.append(index + 1)
                }
            }
        }
        return (values, bad)
    }

    @Test("lines that are read many at a time are what each is alone")
    func together() throws {
        var random = SplitMix(seed: 13)
        let options: [JSON.ParseOptions] = [
            .init(), .init(refusesDuplicateKeys: true), .init(allowsFragments: false, maximumDepth: 5),
            .init(maximumSize: 100),
        ]
        for round in 0..<400 {
            // Mostly good ones, so that some are read together before a bad one comes.
            let good = round % 2 == 0 ? 4 : Self.lines.count
            var lines = (0..<60).map { _ in
                Array((Self.lines.prefix(round % 4 == 3 ? 2 : good).randomElement(using: &random) ?? "").utf8)
            }
            for _ in 0..<round % 4 {
                lines[Int.random(in: 0..<60, using: &random)] = Array(
                    (Self.lines.randomElement(using: &random) ?? "").utf8)
            }
            if round % 10 == 9 {
                lines[Int.random(in: 0..<60, using: &random)] = Array("[\"".utf8) + [0xC3, 0x28] + Array("\"]".utf8)
            }
            var serializer = NDJSONSerializer(badLines: .skip)
            serializer.json.parsing = options[round % options.count]
            let (values, bad) = expected(lines, serializer.json.parsing)
            let body = Array(lines.map { $0 + [0x0A] }.joined())
            let cut = Int.random(in: 0...body.count, using: &random)
            for pieces in [[body[...]], [body[..<cut], body[cut...]]] {
                let parser = try serializer.makeParser(head, maximumElementBytes: .max)
                let run = ElementRun(erased: parser, pieces)
                #expect(run.elements.map { $0.serialized() } == values, "round \(round)")
                #expect(run.skipped == bad.count, "round \(round)")
            }
            serializer.badLines = .error
            let run = ElementRun(erased: try serializer.makeParser(head, maximumElementBytes: .max), [body[...]])
            #expect(
                bad.first.map { run.failure?.hasPrefix("line \($0)") == true } ?? (run.failure == nil), "round \(round)"
            )
        }
    }

    @Test("a line that is too long is an error among others too")
    func longLine() throws {
        let body = Array(
            (String(repeating: "[1]\n", count: 100) + "[\"long\"]\n" + String(repeating: "[1]\n", count: 100)).utf8)
        let parser = try NDJSONSerializer(maximumLineBytes: 7).makeParser(head, maximumElementBytes: .max)
        let run = ElementRun(erased: parser, [body[...]])
        #expect(run.elements.count == 100)
        #expect(run.failure == "an element is longer than 7 bytes, the limit of its option maxLineBytes")
    }

    @Test("values that are kept are not written over by those that come behind")
    func kept() throws {
        struct Part: Decodable, Equatable {
            let id: Int
            let rest: JSON
        }
        let body = (0..<2_000).map { #"{"id":\#($0),"rest":{"number":\#($0),"text":"t\#($0)"}}"# + "\n" }.joined()
        let parser = try NDJSONSerializer().makeParser(of: Part.self, head, maximumElementBytes: .max)
        let parts = ElementRun(erased: parser, [Array(body.utf8)[...]]).elements
        #expect(parts.count == 2_000)
        for (index, part) in parts.enumerated() {
            #expect(part.rest == ["number": JSON(Int64(index)), "text": JSON("t\(index)")])
        }
        let values = try NDJSONSerializer().serialize(Sample.body(body), head)
        #expect(values.enumerated().allSatisfy { $1["id"] == JSON(Int64($0)) })
    }
}
