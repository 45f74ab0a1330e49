import PatchbayRegistry
import PatchbayTesting
import Testing

/// Without a body that breaks off inside an element, a parser that ignores its limit is found by the samples that it takes.
@Suite(.timeLimit(.minutes(5))) struct UnfinishedTests {
    static let lines = ElementSample(
        ConformanceSample("lines", text: "one\ntwo!\nthree"), ["one", "two!", "three"])
    static let texts = ElementSample(
        ConformanceSample("texts", [3, 0x6F, 0x6E, 0x65, 5, 0x74, 0x68, 0x72, 0x65, 0x65]), ["one", "three"])

    @Test("lines", arguments: [nil, .hasNoLimit] as [LinesSerializer.Flaw?])
    func lines(_ flaw: LinesSerializer.Flaw?) async throws {
        func check() async throws {
            try await checkElementConformance(
                of: LinesSerializer(flaw: flaw), good: [Self.lines], bad: [], unfinished: nil)
        }
        guard flaw != nil else { return try await check() }
        let finding = "the sample \"lines\": an element of 5 bytes was taken, where one may have 1"
        await #expect(throws: ConformanceFailure(findings: [finding])) { try await check() }
    }

    @Test("texts with their length in front", arguments: [true, false])
    func texts(_ obeys: Bool) async throws {
        func check() async throws {
            try await checkElementConformance(
                of: MeasuredTexts(obeys: obeys), good: [Self.texts], bad: [], unfinished: nil)
        }
        guard !obeys else { return try await check() }
        let finding = "the sample \"texts\": an element of 5 bytes was taken, where one may have 1"
        await #expect(throws: ConformanceFailure(findings: [finding])) { try await check() }
    }
}

/// Texts, each behind a byte that says how long it is.
private struct MeasuredTexts: StreamingSerializer {
    struct Cut: Error {}

    struct Parser: ElementParser {
        let limit: Int
        private var missing = 0
        private var text: [UInt8] = []
        private let obeys: Bool

        init(_ limit: Int, obeys: Bool) {
            self.limit = limit
            self.obeys = obeys
        }

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            for index in bytes.indices {
                guard missing > 0 else {
                    missing = Int(bytes[index])
                    if obeys, missing > limit { throw ElementLimitFailure(limit: limit) }
                    if missing == 0 { try emit("") }
                    continue
                }
                text.append(bytes[index])
                missing -= 1
                if missing == 0 {
                    try emit(String(decoding: text, as: UTF8.self))
                    text = []
                }
            }
        }

        mutating func finish(emit: (String) throws -> Void) throws {
            guard missing == 0 else { throw Cut() }
        }
    }

    let obeys: Bool

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser {
        Parser(maximumElementBytes, obeys: obeys)
    }
}
