import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// The kit finds a quote of the body, however short it is, and tells it from words that are there by chance.
@Suite(.timeLimit(.minutes(5))) struct QuoteTests {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    struct Kept: Error {
        let text: String
    }

    /// A serializer that refuses every body with an error made of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let body: String
        let isQuote: Bool
        let error: @Sendable (String) -> any Error
        var testDescription: String { name }

        init(_ name: String, _ body: String, isQuote: Bool, _ error: @escaping @Sendable (String) -> any Error) {
            self.name = name
            self.body = body
            self.isQuote = isQuote
            self.error = error
        }

        static func quote(_ name: String, _ body: String, _ sentence: @escaping @Sendable (String) -> String) -> Row {
            Row(name, body, isQuote: true) { Refusal(description: sentence($0)) }
        }

        static func chance(_ name: String, _ body: String, _ sentence: @escaping @Sendable (String) -> String) -> Row {
            Row(name, body, isQuote: false) { Refusal(description: sentence($0)) }
        }
    }

    static let rows: [Row] = [
        .quote("a short body", "12x") { "bad: \($0)" },
        .quote("one letter", "x") { "bad: \($0)" },
        .quote("one digit", "1") { "bad: \($0)" },
        .quote("a part in the middle", "12 and some text, hunter2, and more") {
            "bad at \($0.dropFirst(18).prefix(7))"
        },
        .quote("the end", "12 and some text hunter2") { "bad: \($0.suffix(7))" },
        .quote("a number", "line 1, the PIN is 4711") { "\($0.suffix(4)) is no text" },
        .quote("a character", "12 x") { "unexpected \($0.first(where: \.isLetter).map(String.init) ?? "")" },
        .quote("a character that is not ASCII", "12 é") { "unexpected \($0.last.map(String.init) ?? "")" },
        .quote("in capitals", "12 hunter") { "BAD: \($0.uppercased())" },
        .quote("escaped", "say \"hunter\"\nagain") { "bad: \($0.debugDescription)" },
        .quote("bytes as numbers", "hunter2") { "bad: \(Array($0.utf8))" },
        .quote("in hexadecimal", "hunter2") { text in
            "bad: " + text.utf8.map { String($0, radix: 16) }.joined()
        },
        .quote("twice", "hunter2") { "\($0) is bad, because of \($0)" },
        .quote("far into a long body", String(repeating: "a line of text\n", count: 2_000) + "hunter2") {
            "bad: \($0.suffix(7))"
        },
        Row("in a property of the error", "hunter2", isQuote: true) { Kept(text: $0) },
        .chance("a line, and its number", "1") { _ in "line 1: bad" },
        .chance("words that the body has too", "expected a number") { _ in "expected a number" },
        .chance("the length of the body", "16 is too little") { "\($0.utf8.count) bytes are bad" },
        .chance("the place of a character", "3 and x") { text in
            "bad at \(text.utf8.prefix { $0 < 0x61 }.count)"
        },
        .chance("a kind of character", "abc") { $0.first == "a" ? "expected a vowel" : "expected a consonant" },
        .chance("a count that changes", "12 papers") { text in
            "\(text.utf8.count { $0 > 0x70 }) of them are bad"
        },
        .chance("a version", "7 is the version of this body") { "the version \($0.prefix(1)) is not read" },
        .chance("no body", "") { "bad: \($0)" },
        .chance("a mark", "<<>>") { "unexpected \($0.prefix(1))" },
        .quote("nothing but marks", "<<>>") { "bad: \($0)" },
        .quote("bytes that are no text", "\u{1}\u{2}\u{3}") { "bad: \(Array($0.utf8))" },
        Row("the path to a value", #"{"hunter2": "x"}"#, isQuote: false) { text in
            DecodingError.typeMismatch(Int.self, .init(codingPath: [Key(text)], debugDescription: "bad: \(text)"))
        },
        Row("the path to a value of an element", #"{"hunter2": "x"}"#, isQuote: false) { text in
            ElementFailure(
                .line, 1,
                DecodingError.typeMismatch(Int.self, .init(codingPath: [Key(text)], debugDescription: "bad: \(text)")))
        },
    ]

    /// The letters and digits of a text.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text.filter { $0.isLetter || $0.isNumber } }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static let quoted = ConformanceFailure(
        findings: ["the sample \"bad\": its body is quoted by the error"])

    @Test("a quote is found, and nothing else", arguments: rows)
    func found(_ row: Row) async throws {
        let serializer = MadeSerializer<Int> { body, _ in
            throw row.error(String(decoding: body.data, as: UTF8.self))
        }
        let sample = ConformanceSample("bad", text: row.body)
        guard row.isQuote else { return try await checkConformance(of: serializer, good: [], bad: [sample]) }
        await #expect(throws: Self.quoted) { try await checkConformance(of: serializer, good: [], bad: [sample]) }
    }

    @Test("a quote is found where elements are decoded")
    func elements() {
        #expect(throws: Self.quoted) {
            try checkElementConformance(
                of: QuotingLines(), decoding: String.self, good: [],
                bad: [ElementSample(ConformanceSample("bad", text: "one\nTWO"), ["one"])], unfinished: nil)
        }
    }
}

/// Lines of small letters, of which the first that has others is quoted.
private struct QuotingLines: ElementDecodingSerializer {
    struct Parser<Value: Sendable>: ElementParser {
        private var line: [UInt8] = []

        mutating func parse(_ bytes: Span<UInt8>, emit: (Value) throws -> Void) throws {
            for index in bytes.indices {
                line.append(bytes[index])
                if bytes[index] == UInt8(ascii: "\n") { try give(emit) }
            }
        }

        mutating func finish(emit: (Value) throws -> Void) throws {
            if !line.isEmpty { try give(emit) }
        }

        private mutating func give(_ emit: (Value) throws -> Void) throws {
            let text = String(decoding: line.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            line = []
            guard text.utf8.allSatisfy({ $0 >= 0x61 }), let value = text as? Value else {
                throw QuoteTests.Refusal(description: "bad: \(text)")
            }
            try emit(value)
        }
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [String] { [] }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> { Parser<Value>() }
}
