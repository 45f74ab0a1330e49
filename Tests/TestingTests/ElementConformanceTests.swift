import PatchbayRegistry
import PatchbayTesting
import Testing

/// The kit for serializers of elements finds each way to break the contract, and nothing where it is kept.
@Suite(.timeLimit(.minutes(5))) struct ElementConformanceTests {
    private let good = ElementSample(ConformanceSample("good", text: "one\ntwo!\nthree"), ["one", "two!", "three"])
    private let bad = ElementSample(ConformanceSample("bad", text: "one\nTWO"), ["one"])
    private let unfinished = ConformanceSample("unfinished", text: "four")

    @Test func `a sample is written by its name, its length and its elements`() {
        #expect("\(good)" == "good, 14 bytes, 3 elements")
        var dumped = ""
        dump(bad, to: &dumped)
        #expect(dumped == "- bad, 7 bytes, 1 element\n")
    }

    @Test("A serializer that keeps the contract", .timeLimit(.minutes(5)))
    func conforming() async throws {
        try await checkElementConformance(of: LinesSerializer(), good: [good], bad: [bad], unfinished: unfinished)
        try checkElementConformance(
            of: LinesDecodingSerializer(), decoding: String.self, good: [good], bad: [bad], unfinished: unfinished)
    }

    @Test("A flaw is found, and said", arguments: LinesSerializer.Flaw.allCases)
    func flawed(_ flaw: LinesSerializer.Flaw) async {
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await checkElementConformance(
                of: LinesSerializer(flaw: flaw), good: [good], bad: [bad], unfinished: unfinished)
        }
        let findings = failure?.findings ?? []
        #expect(findings.contains { $0.hasPrefix(flaw.issue) }, "\(findings)")
    }

    @Test("A type that the serializer cannot decode")
    func undecodable() {
        let findings = [
            "the sample \"words\": it is good, and was refused: refused",
            "the sample \"words\": the error of its reader came out as another one: refused",
        ]
        #expect(throws: ConformanceFailure(findings: findings)) {
            try checkElementConformance(
                of: LinesDecodingSerializer(), decoding: Int.self,
                good: [ElementSample(ConformanceSample("words", text: "one\n"), [1])], bad: [], unfinished: nil)
        }
    }
}

/// Lines of which only text is decoded.
private struct LinesDecodingSerializer: ElementDecodingSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [String] {
        try LinesSerializer().serialize(body, head)
    }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        guard
            let parser = LinesSerializer().makeParser(head, maximumElementBytes: maximumElementBytes)
                as? any ElementParser<Value>
        else { throw LinesSerializer.Refusal() }
        return parser
    }
}
