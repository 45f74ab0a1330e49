import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

/// The kit finds each way in which a serializer that writes can break the contract, and nothing where it is kept.
@Suite(.timeLimit(.minutes(5))) struct WritingConformanceTests {
    private let good = [Word(text: "Ada", isLoud: true), Word(text: "Grace")]
    private let bad = Word(text: "two hunters")

    @Test("A serializer that keeps the contract")
    func conforming() async throws {
        try await checkConformance(
            of: WordSerializer(), writing: good, as: "text/word", refusing: [bad], declining: [471_147, "hunter"])
    }

    @Test("A flaw is found, and said", arguments: WordSerializer.Flaw.allCases)
    func flawed(_ flaw: WordSerializer.Flaw) async {
        await #expect(throws: ConformanceFailure(findings: [flaw.issue])) {
            try await checkConformance(
                of: WordSerializer(flaw), writing: [good[0]], as: "text/word", refusing: [bad], declining: [471_147])
        }
    }

    @Test("each value is tried, and counted")
    func counted() async {
        let findings = [
            "the value 2: to be written, and refused: bad", "the refused value 2: to be refused, and written",
            "the declined value 3: to be declined, and not declined",
        ]
        await #expect(throws: ConformanceFailure(findings: findings)) {
            try await checkConformance(
                of: WordSerializer(), writing: [good[0], bad], as: "text/word", refusing: [bad, good[1]],
                declining: [1, 2, good[0]])
        }
    }

    /// Writes a word, and reads nothing.
    private struct Writer: RequestSerializer {
        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            try WordSerializer().write(value, as: type)
        }
    }

    /// Writes a word, and reads bytes.
    private struct OtherReader: RequestSerializer, ResponseSerializer {
        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            try WordSerializer().write(value, as: type)
        }

        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Data { body.data }
    }

    /// Writes a text in the charset of its type, and reads it by that of the response.
    private struct Texts: RequestSerializer, ResponseSerializer {
        func write(_ value: some Encodable, as type: MediaType) throws -> Data {
            guard let data = (value as? String)?.data(using: type[parameter: "charset"] == nil ? .utf8 : .isoLatin1)
            else { throw WordSerializer.Refusal(description: "a character is missing") }
            return data
        }

        func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> String { try body.text(head.mediaType) }
    }

    @Test("a serializer that only writes has nothing to read back")
    func writer() async throws {
        try await checkConformance(of: Writer(), writing: good, as: "text/word", refusing: [bad])
    }

    @Test("a serializer that reads other types than it writes is a finding")
    func otherReader() async {
        let finding = "it reads responses, and none as Word: nothing was read back"
        await #expect(throws: ConformanceFailure(findings: [finding])) {
            try await checkConformance(of: OtherReader(), writing: good, as: "text/word")
        }
    }

    @Test("a value is written as the media type, and read back from a response of it")
    func charset() async throws {
        try await checkConformance(of: Texts(), writing: ["é"], as: "text/plain; charset=iso-8859-1", refusing: ["雪"])
        try await checkConformance(of: Texts(), writing: ["é", "雪"], as: "text/plain")
    }
}

/// A quote of a value is found in an error, and told from what is there by chance.
@Suite(.timeLimit(.minutes(5))) struct WrittenQuoteTests {
    struct Person: Encodable {
        var name = "Hopper"
        var pin = -47_110
        var note: String? = "a very long note with hunter2 in it"
        var isAdmin = true
        var tags: [String: [String]] = ["colour": ["magenta"]]
    }

    /// Encodes a text, and then throws.
    struct Half: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("hunter2")
            throw WordSerializer.Refusal(description: "no")
        }
    }

    struct Kept: Error {
        let text: String
    }

    /// An error, and whether it quotes the value.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let isQuote: Bool
        var value: any Encodable & Sendable = Person()
        let error: any Error
        var testDescription: String { name }

        init(
            _ name: String, isQuote: Bool, of value: any Encodable & Sendable = Person(), _ error: any Error
        ) {
            (self.name, self.isQuote, self.value, self.error) = (name, isQuote, value, error)
        }

        init(_ name: String, isQuote: Bool, of value: any Encodable & Sendable = Person(), _ sentence: String) {
            self.init(name, isQuote: isQuote, of: value, WordSerializer.Refusal(description: sentence))
        }
    }

    static let rows: [Row] = [
        Row("a text", isQuote: true, "bad: Hopper"), Row("in capitals", isQuote: true, "bad: HOPPER"),
        Row("a number", isQuote: true, "47110 is no pin"),
        Row("a part of a long text", isQuote: true, "bad: with hunter2"),
        Row("of a text inside", isQuote: true, "no colour: magenta"),
        Row("of the value itself", isQuote: true, of: "hunter2", "hunter2"),
        Row("of a value that throws", isQuote: true, of: Half(), "bad: hunter2"),
        Row("in a property of the error", isQuote: true, Kept(text: "Hopper")),
        Row("in the reason of a failure", isQuote: true, FormatFailure("x", .unsupported, "Hopper is no word")),
        Row("a key", isQuote: false, "the colour cannot be written"),
        Row("a short part of a long text", isQuote: false, "a very bad note"),
        Row("three letters", isQuote: false, of: "bad", "bad"), Row("a bool", isQuote: false, "true is bad"),
        Row("not a number", isQuote: false, of: Double.nan, "nan is bad"),
        Row("infinity", isQuote: false, of: -Double.infinity, "-inf is bad"),
        Row(
            "the value and the words of an EncodingError", isQuote: false,
            EncodingError.invalidValue("Hopper", .init(codingPath: [], debugDescription: "bad: Hopper"))),
    ]

    /// Refuses every value, or declines it for the text of the error.
    private struct Refuser: RequestSerializer {
        let error: any Error
        var declines = false

        func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
            declines ? "\(error)" : nil
        }

        func write(_ value: some Encodable, as type: MediaType) throws -> Data { throw error }
    }

    @Test("a quote is found, and nothing else", arguments: rows)
    func found(_ row: Row) async throws {
        func check() async throws {
            try await checkConformance(
                of: Refuser(error: row.error), writing: [Int](), as: "text/word", refusing: [row.value])
        }
        guard row.isQuote else { return try await check() }
        await #expect(throws: ConformanceFailure(findings: ["the refused value 1: quoted by the error"])) {
            try await check()
        }
    }
}
