import Foundation
import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayPlugins

/// The elements of one JSON array, as they arrive.
@Suite struct JSONElementTests {
    private let head = Sample.head("application/json")

    private func run(
        _ body: [UInt8], _ serializer: JSONSerializer = JSONSerializer(), limit: Int = .max
    )
        throws -> ElementRun<JSON>
    {
        try ElementRun.everySplit(body) { try serializer.makeParser(of: JSON.self, head, maximumElementBytes: limit) }
    }

    private func run(_ body: String, _ serializer: JSONSerializer = JSONSerializer(), limit: Int = .max)
        throws -> ElementRun<JSON>
    {
        try run(Array(body.utf8), serializer, limit: limit)
    }

    static let bodies: [(name: String, body: String, values: [JSON])] = [
        ("scalars", "[1,\"a\",true,null,-2.5e1]", [1, "a", true, .null, -25]), ("empty", "[]", []),
        ("blanks", " [ \n] \t", []),
        ("containers", "[[1,[2]],{\"a\":[{}]} , []]", [[1, [2]], ["a": [[:]]], []]),
        ("brackets and commas in strings", #"["],[\"",{"}":"\\"},"\\\""]"#, ["],[\"", ["}": "\\"], "\\\""]),
        ("a mark", "\u{FEFF}[1]", [1]), ("beyond ASCII", "[\"é\",\"🙂\"]", ["é", "🙂"]),
        ("an object is one element", " {\"a\": [1]} ", [["a": [1]]]), ("a scalar is one", "3", [3]),
        ("a mark and a scalar", "\u{FEFF}3", [3]), ("a scalar and lines", "\n3\n\r\n \n", [3]),
        ("lines in a container", "{\n\"a\":\n1}\n", [["a": 1]]), ("nothing", "", []),
        ("the space that stands for nothing", " ", []),
    ]

    @Test("the elements of the array, or the one value, for every split", arguments: bodies)
    func bodyIsRead(_ name: String, _ body: String, _ values: [JSON]) throws {
        let run = try run(body)
        #expect(run.elements == values)
        #expect(run.failure == nil)
    }

    static let failures: [(body: String, values: [JSON], failure: String)] = [
        ("[1,", [1], "element 2: expected a value before the end of the text"),
        ("[1,2", [1], #"element 2: expected a comma or "]" before the end of the text"#),
        ("[", [], "element 1: expected a value before the end of the text"),
        ("[ \n ", [], "element 1: expected a value before the end of the text"),
        ("[1,]", [1], "element 2: expected a value"), ("[,1]", [], "element 1: expected a value"),
        ("[1,,2]", [1], "element 2: expected a value"),
        ("[1 2]", [], "element 1: line 1, column 3: expected nothing after the end of the document"),
        ("[1,[2}]", [1], #"element 2: line 1, column 3: expected a comma or "]" after an array element"#),
        ("[{}", [[:]], #"element 2: expected a comma or "]" before the end of the text"#),
        ("[[] 1]", [[]], #"element 1: expected a comma or "]" behind it"#),
        ("[{}}]", [[:]], #"element 1: expected a comma or "]" behind it"#),
        ("[1}]", [], "element 1: line 1, column 2: expected nothing after the end of the document"),
        ("[1] 2", [1], "element 1: expected nothing after the end of the array, whose last it is"),
        ("[1]]", [1], "element 1: expected nothing after the end of the array, whose last it is"),
        ("[\u{FEFF}1]", [], "element 1: expected a value"),
        ("\u{FEFF}\u{FEFF}[1]", [], "element 1: line 1, column 1: expected a value"),
        ("  ", [], "element 1: expected a value before the end of the text"),
        ("{\"a\":", [], "element 1: line 1, column 6: expected a value before the end of the text"),
        ("1 2", [], "element 1: line 1, column 3: expected nothing after the end of the document"),
        (
            "{}\n{}\n", [],
            #"element 1: expected nothing after the value; JSON on each line is for the factory "ndjson""#
        ),
        ("a\nb", [], "element 1: line 1, column 1: expected a value"),
    ]

    @Test(
        "what breaks the rules is an error with the number of the element, after those before it", arguments: failures)
    func failureIsSaid(_ body: String, _ values: [JSON], _ failure: String) throws {
        let run = try run(body)
        #expect(run.elements == values)
        #expect(run.failure == failure)
    }

    @Test("lines of JSON are refused when the second begins, before the end of the body")
    func lines() throws {
        var parser = try JSONSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
        try parser.parse(Array("{\"a\": 1}\n".utf8)) { _ in }
        #expect(throws: ElementFailure.self) { try parser.parse(Array("{".utf8)) { _ in } }
    }

    @Test("UTF-16 is refused as it is in a whole body")
    func wide() throws {
        for bigEndian in [true, false] {
            let run = try run(Sample.utf16("[1]", bigEndian: bigEndian))
            #expect(run.elements.isEmpty)
            #expect(run.failure == "element 1: line 1, column 1: the text is UTF-16 or UTF-32, and JSON is UTF-8")
        }
    }

    @Test("garbage gives the elements of the document that it is, or an error, for every split")
    func garbage() throws {
        var random = SplitMix(seed: 16)
        let words = ["[", "]", "[", "]", "{", "}", "{\"a\":", "\"", "\\", ",", ",", "1", "null", " ", "\n", "\"é\""]
        var count = 0
        for _ in 0..<600 {
            let text =
                "["
                + (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined() + "]"
            let run = try run(text)
            guard let document = try? JSON(parsing: text) else {
                #expect(run.failure != nil, "\(text)")
                continue
            }
            count += 1
            #expect(run.failure == nil, "\(text)")
            #expect(run.elements == document.array ?? [], "\(text)")
        }
        #expect(count > 20)
    }

    @Test("depth is counted with the array, as in a whole body", arguments: [0, 1, 2, 3])
    func depth(_ depth: Int) throws {
        let serializer = JSONSerializer(parsing: JSON.ParseOptions(maximumDepth: depth))
        for levels in 1...4 {
            let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            let isTaken = (try? serializer.serialize(Sample.body(text), head)) != nil
            #expect(try (run(text, serializer).failure == nil) == isTaken, "\(text)")
        }
    }

    @Test("brackets without end are no trap")
    func bottomless() throws {
        let body = [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
        let parser = try JSONSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
        let end = [UInt8](repeating: UInt8(ascii: "]"), count: 200_000)
        #expect(
            ElementRun(erased: parser, [body[...], end[...]]).failure?.contains("more than 511 containers") == true)
    }

    private struct User: Decodable, Equatable {
        let firstName: String
        var age: Int?
    }

    @Test("the options of the entry count for each element")
    func options() throws {
        var serializer = JSONSerializer()
        serializer.coding.keys = .snakeCase
        let text = #"[{"first_name":"a","age":null},null,{"first_name":"b","age":3}]"#
        let all = try ElementRun.everySplit(text) {
            try serializer.makeParser(of: User?.self, head, maximumElementBytes: .max)
        }
        #expect(all.elements == [User(firstName: "a"), nil, User(firstName: "b", age: 3)])
        serializer.removeNulls = .keysAndElements
        let kept = try ElementRun.everySplit(text) {
            try serializer.makeParser(of: User.self, head, maximumElementBytes: .max)
        }
        #expect(kept.elements == [User(firstName: "a"), User(firstName: "b", age: 3)])
        #expect(
            try run("[1,null,[null]]", serializer).elements
                == serializer.serialize(Sample.body("[1,null,[null]]"), head).array)
        serializer = JSONSerializer(parsing: JSON.ParseOptions(refusesDuplicateKeys: true, allowsFragments: false))
        #expect(try run("[1]", serializer).elements == [1])
        #expect(try run("1", serializer).failure == "element 1: line 1, column 1: expected an object or an array")
        #expect(try run(#"[1,{"a":1,"a":2}]"#, serializer).failure?.contains("twice") == true)
        serializer.singleSpaceIsEmpty = false
        #expect(try run(" ", serializer).failure != nil)
        let own = try ElementRun.everySplit(#"[{"firstName":"a"}]"#) {
            try JSONSerializer(decoder: JSONDecoder()).makeParser(
                of: User.self, head, maximumElementBytes: .max)
        }
        #expect(own.elements == [User(firstName: "a")])
    }

    @Test("an element that is too long is an error, after those before it")
    func limit() throws {
        let run = try run("[1,[2],[345],6]", limit: 4)
        #expect(run.elements == [1, [2]])
        #expect(run.failure == "an element is longer than 4 bytes")
        #expect(try self.run("{\"a\":1}", limit: 4).failure == "an element is longer than 4 bytes")
        #expect(try self.run("[12345]", limit: 5).elements == [12345])
    }

    /// Elements that a parser for many of them might take for others.
    private static let elements: [String] = [
        #"{"a":1}"#, #"[1,{"b":[true,null]},"é日🙂"]"#, "[]", "{}", "3", #""text""#, "null", #""}],[{""#,
        #"{"}],[":"{\"]"}"#, "", " ", "[1", "2]", "[1}", "{]", "]", "}", "[1] [2]", "[1]x", "[1]:[2]", "x", #"["a"#,
        "[-0]",
        "[-0.0]", "[0.1234567890123456789]", "[1e400]", #"{"a":1,"b":2,"a":3}"#, " \t[ 1 , 2 ]  \r\n", "[1]\u{C}",
        "\u{C}[1]",
        "\u{FEFF}[1]", #"["\u00e9\ud83d\ude42\n"]"#, #"["\ud83d"]"#, "[\"\u{1}\"]", "[\u{0}1]", "[[[[[[1]]]]]]", "[01]",
        #"{"name":"\#(String(repeating: "long ", count: 40))","values":[1.5,null,3e2]}"#,
    ]

    @Test("elements that are read many at a time are what each is alone")
    func together() throws {
        var random = SplitMix(seed: 17)
        let options: [JSON.ParseOptions] = [
            .init(), .init(refusesDuplicateKeys: true), .init(allowsFragments: false, maximumDepth: 6),
            .init(maximumSize: 100), .init(maximumDepth: 1),
        ]
        for round in 0..<400 {
            // Mostly good ones, so that some are read together before a bad one comes.
            let good = round % 2 == 0 ? 4 : 9
            var elements = (0..<60).map { _ in
                Array((Self.elements.prefix(good).randomElement(using: &random) ?? "").utf8)
            }
            for _ in 0..<round % 3 {
                elements[Int.random(in: 0..<60, using: &random)] = Array(
                    (Self.elements.randomElement(using: &random) ?? "").utf8)
            }
            if round % 10 == 9 {
                elements[Int.random(in: 0..<60, using: &random)] = Array("[\"".utf8) + [0xC3, 0x28] + Array("\"]".utf8)
            }
            var serializer = JSONSerializer(parsing: options[round % options.count])
            serializer.removeNulls = round % 4 == 0 ? .keysAndElements : .none
            let body = Array("[".utf8) + elements.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
            func run(_ pieces: [ArraySlice<UInt8>]) throws -> ElementRun<JSON> {
                let limit = round % 7 == 0 ? 20 : Int.max
                return ElementRun(
                    erased: try serializer.makeParser(of: JSON.self, head, maximumElementBytes: limit), pieces)
            }
            let alone = try run(body.indices.map { body[$0...$0] })
            let cut = Int.random(in: 0...body.count, using: &random)
            for pieces in [[body[...]], [body[..<cut], body[cut...]]] {
                let together = try run(pieces)
                #expect(together == alone, "round \(round)")
                #expect(
                    together.elements.map { $0.serialized() } == alone.elements.map { $0.serialized() },
                    "round \(round)")
            }
        }
    }

    @Test("an object or array is given when it is closed, another element when its comma has come")
    func promptness() throws {
        for (text, expected) in [("[1,2", [1]), ("[{}", [[:]]), ("[[1, [2]]", [[1, [2]]])] as [(String, [JSON])] {
            var parser = try JSONSerializer().makeParser(of: JSON.self, head, maximumElementBytes: .max)
            var values: [JSON] = []
            try parser.parse(Array(text.utf8)) { values.append($0) }
            #expect(values == expected)
        }
    }
}
