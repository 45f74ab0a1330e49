import PatchbayRegistry
import PatchbayTesting
import Testing

/// The kit finds each way to break the contract, and nothing where it is kept.
@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    private let good = ConformanceSample("good", text: "123", contentType: "text/digits")
    private let bad = ConformanceSample("bad", text: "12 and some text", contentType: "text/digits")

    @Test func `a sample is written by its name and length`() {
        let sample = ConformanceSample("an empty object", text: "{}")
        #expect("\(sample)" == "an empty object, 2 bytes")
        var dumped = ""
        dump(sample, to: &dumped)
        #expect(dumped == "- an empty object, 2 bytes\n")
    }

    @Test("A serializer that keeps the contract")
    func conforming() async throws {
        try await checkConformance(of: DigitsSerializer(), good: [good], bad: [bad])
        try await checkConformance(of: DigitsSerializer(), good: [good], bad: [bad], areEqual: ==)
        try await checkConformance(of: DigitsSerializer(), decoding: Int.self, good: [good], bad: [bad])
    }

    @Test("A flaw is found, and said", arguments: Flaw.allCases)
    func flawed(_ flaw: Flaw) async {
        await #expect(throws: ConformanceFailure(findings: [flaw.issue])) {
            try await checkConformance(of: DigitsSerializer(flaw), good: [good], bad: [bad])
        }
    }

    @Test("A type that the serializer cannot decode")
    func undecodable() async {
        let finding = "the sample \"good\": it is good, and was refused: no such type"
        await #expect(throws: ConformanceFailure(findings: [finding])) {
            try await checkConformance(of: DigitsSerializer(), decoding: String.self, good: [good], bad: [bad])
        }
    }

    @Test func `a failure is written as its findings, a line each`() {
        let failure = ConformanceFailure(findings: ["one", "two"])
        #expect("\(failure)" == "one\ntwo")
        #expect(failure.errorDescription == "one\ntwo")
    }

    @Test func samples() {
        let sample = ConformanceSample("s", text: "é", contentType: "text/plain; charset=utf-8", status: 404)
        #expect(sample.body == [0xC3, 0xA9])
        #expect(sample.head.status == 404)
        #expect(sample.head.mediaType?.essence == "text/plain")
        #expect(ConformanceSample("s", [1, 2]).head.contentType == .missing)
    }
}
