import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import Testing

/// The kit finds each way in which a serializer that writes elements can break the contract, and nothing where it is kept.
@Suite(.timeLimit(.minutes(5))) struct WritingElementConformanceTests {
    private let good = ["one", "two!", "three"]

    @Test("A serializer that keeps the contract")
    func conforming() async throws {
        try await checkElementConformance(of: LineWriter(), writing: good, as: "text/lines", refusing: ["LOUD", 1])
        try await checkElementConformance(of: LineWriter(), writing: [String](), as: "text/lines")
        try await checkElementConformance(of: LineDecoder(), writing: good, as: "text/lines", refusing: ["LOUD"])
    }

    @Test("A flaw is found, and said", arguments: LineWriter.Flaw.allCases)
    func flawed(_ flaw: LineWriter.Flaw) async {
        await #expect(throws: ConformanceFailure(findings: [flaw.issue])) {
            try await checkElementConformance(
                of: LineWriter(flaw: flaw), writing: good, as: "text/lines", refusing: ["LOUD"])
        }
    }

    @Test("elements that are decoded as others are found")
    func decoded() async {
        await #expect(throws: ConformanceFailure(findings: ["the elements: read back as another value"])) {
            try await checkElementConformance(of: LineDecoder(losesTheLast: true), writing: good, as: "text/lines")
        }
    }
}

/// Writes small letters and exclamation marks, a line for each element, reads them back, and misbehaves in one way where it is told to.
struct LineWriter: StreamingSerializer, ElementWritingSerializer {
    /// The ways to break the contract.
    enum Flaw: String, CaseIterable {
        case refusesTheSecond, joinsOtherwise, framesNothing, readsAnother, parsesAnother, takesBad, quotesTheElement

        /// What the kit says about it.
        var issue: String {
            switch self {
            case .refusesTheSecond: "the elements: written one by one, and refused: refused"
            case .joinsOtherwise: "the elements: written one by one, and to other bytes than as an array"
            case .framesNothing: "no elements: written one by one, and to other bytes than as an array"
            case .readsAnother, .parsesAnother: "the elements: read back as another value"
            case .takesBad: "the refused element 1: to be refused, and written"
            case .quotesTheElement: "the refused element 1: quoted by the error"
            }
        }
    }

    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    var flaw: Flaw?

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> LinesSerializer.Parser {
        LinesSerializer.Parser(maximumElementBytes, flaw == .parsesAnother ? .givesTheLineEnd : nil)
    }

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> [String] {
        let lines = try LinesSerializer().serialize(body, head)
        return flaw == .readsAnother ? lines.dropLast() : lines
    }

    func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        value is [String] ? nil : "it writes lines"
    }

    func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        let lines = value as? [String] ?? []
        if lines.isEmpty, flaw == .framesNothing { return Data([0x0A]) }
        return try lines.reduce(into: Data()) { $0 += try line($1) }
    }

    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        if position == 1, flaw == .refusesTheSecond { throw Refusal(description: "refused") }
        return try position == 1 && flaw == .joinsOtherwise ? line(value) + [0x0A] : line(value)
    }

    private func line(_ value: some Encodable) throws -> Data {
        guard let text = value as? String, text.utf8.allSatisfy({ $0 >= 0x61 || $0 == 0x21 }) || flaw == .takesBad
        else {
            throw Refusal(description: flaw == .quotesTheElement ? "bad: \(value)" : "bad")
        }
        return Data((text + "\n").utf8)
    }
}

/// Writes such lines, and reads them back one by one only.
private struct LineDecoder: ElementDecodingSerializer, ElementWritingSerializer {
    struct Parser<Value: Sendable>: ElementParser {
        var lines: LinesSerializer.Parser
        let losesTheLast: Bool

        mutating func parse(_ bytes: Span<UInt8>, emit: (Value) throws -> Void) throws {
            try lines.parse(losesTheLast ? bytes.extracting(first: 4) : bytes) { try emit(Self.value($0)) }
        }

        mutating func finish(emit: (Value) throws -> Void) throws {
            try lines.finish { try emit(Self.value($0)) }
        }

        private static func value(_ line: String) throws -> Value {
            guard let value = line as? Value else { throw LineWriter.Refusal(description: "no such type") }
            return value
        }
    }

    var losesTheLast = false

    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Int { body.count }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> any ElementParser<Value> {
        Parser<Value>(lines: LinesSerializer.Parser(maximumElementBytes, nil), losesTheLast: losesTheLast)
    }

    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        try LineWriter().writeElement(value, at: position, as: type)
    }
}
