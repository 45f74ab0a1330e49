import Foundation
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

/// A parser that copies what it holds for each piece is found by counting, whatever holds it.
@Suite(.timeLimit(.minutes(5))) struct CopyTests {
    /// Where the bytes of an element wait, and how the next ones join them.
    enum Way: String, CaseIterable, Sendable {
        case appended, data, text, inClass, replaced, replacedData, replacedText, sliced, inEnumeration

        /// Whether each piece copies all that waits.
        var copies: Bool {
            switch self {
            case .appended, .data, .text, .inClass: false
            case .replaced, .replacedData, .replacedText, .sliced, .inEnumeration: true
            }
        }
    }

    private static let text = String(repeating: "ab", count: 40)

    /// The samples of a format, good ones alone, as a format has whose elements begin with their length.
    static let formats: [(name: String, width: Int, samples: [ElementSample<String>])] = [
        ("short texts behind a byte", 1, [UnfinishedTests.texts]),
        ("a text of 80 bytes behind a byte", 1, [ElementSample(sample(1, [text]), [text])]),
        ("short texts behind four bytes", 4, [ElementSample(sample(4, ["one", "three"]), ["one", "three"])]),
        ("no text", 1, [ElementSample(sample(1, []), [])]),
    ]

    private static func sample(_ width: Int, _ texts: [String]) -> ConformanceSample {
        let bytes = texts.flatMap { text in
            [UInt8](repeating: 0, count: width - 1) + [UInt8(text.utf8.count)] + Array(text.utf8)
        }
        return ConformanceSample("texts", bytes)
    }

    @Test("a parser that copies is found, and no other", arguments: Way.allCases, formats.indices)
    func found(_ way: Way, _ format: Int) async throws {
        let (_, width, samples) = Self.formats[format]
        let serializer = MeasuredTexts(obeys: true, width: width, way: way)
        func check() async throws {
            try await checkElementConformance(of: serializer, good: samples, bad: [], unfinished: nil)
        }
        guard way.copies, samples.contains(where: { !$0.elements.isEmpty }) else { return try await check() }
        let failure = await #expect(throws: ConformanceFailure.self) { try await check() }
        let finding = try #require(failure?.findings.first)
        #expect(failure?.findings.count == 1)
        #expect(
            finding.wholeMatch(
                of:
                    /the sample "texts": its parser copies the bytes that it holds: they had moved after \d+ of \d+ pieces of one byte/
            ) != nil, "\(finding)")
    }

    @Test("beside an element that does not end, too, and before two million pieces", arguments: Way.allCases)
    func unfinished(_ way: Way) async throws {
        let serializer = MeasuredTexts(obeys: false, width: 8, way: way)
        let sample = Self.sample(8, ["one", "three"])
        let unfinished = ConformanceSample("no end", [0, 0, 0, 1, 0, 0, 0, 0, 0x61])
        func check() async throws {
            try await checkElementConformance(
                of: serializer, good: [ElementSample(sample, ["one", "three"])], bad: [], unfinished: unfinished)
        }
        let failure = await #expect(throws: ConformanceFailure.self) { try await check() }
        let isFound = failure?.findings.contains { $0.contains("its parser copies the bytes that it holds") }
        #expect(isFound == way.copies, "\(failure?.findings ?? [])")
    }
}

/// Bytes in an object.
private final class Holder: @unchecked Sendable {
    var bytes: [UInt8] = []
}

/// Texts, each behind its length in so many bytes.
private struct MeasuredTexts: StreamingSerializer {
    struct Cut: Error {}

    /// The bytes of an element that have come.
    struct Store {
        enum Stage { case waiting([UInt8]) }

        let way: CopyTests.Way
        private var array: [UInt8] = []
        private var data = Data()
        private var string = ""
        private var slice: ArraySlice<UInt8> = []
        private var stage = Stage.waiting([])
        private var holder = Holder()

        init(_ way: CopyTests.Way) { self.way = way }

        mutating func add(_ byte: UInt8) {
            switch way {
            case .appended: array.append(byte)
            case .data: data.append(byte)
            case .text: string.unicodeScalars.append(Unicode.Scalar(byte))
            case .inClass: holder.bytes.append(byte)
            case .replaced: array = array + [byte]
            case .replacedData: data = data + [byte]
            case .replacedText: string = string + String(Unicode.Scalar(byte))
            case .sliced: slice = ArraySlice(Array(slice) + [byte])
            case .inEnumeration:
                if case .waiting(var bytes) = stage {
                    bytes.append(byte)
                    stage = .waiting(bytes)
                }
            }
        }

        /// The text of the element, which ends.
        mutating func take() -> String {
            defer { self = Store(way) }
            switch way {
            case .appended, .replaced: return String(decoding: array, as: UTF8.self)
            case .data, .replacedData: return String(decoding: data, as: UTF8.self)
            case .text, .replacedText: return string
            case .inClass: return String(decoding: holder.bytes, as: UTF8.self)
            case .sliced: return String(decoding: slice, as: UTF8.self)
            case .inEnumeration:
                guard case .waiting(let bytes) = stage else { return "" }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    struct Parser: ElementParser {
        let limit: Int
        private var missing = 0
        private var length = 0
        private var lengthBytes = 0
        private var store: Store
        private let obeys: Bool
        private let width: Int

        init(_ limit: Int, obeys: Bool, width: Int, way: CopyTests.Way) {
            self.limit = limit
            self.obeys = obeys
            self.width = width
            store = Store(way)
        }

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            for index in bytes.indices {
                guard missing > 0 else {
                    (length, lengthBytes) = (length << 8 | Int(bytes[index]), lengthBytes + 1)
                    guard lengthBytes == width else { continue }
                    (missing, length, lengthBytes) = (length, 0, 0)
                    if missing < 0 || obeys && missing > limit { throw ElementLimitFailure(limit: limit) }
                    if missing == 0 { try emit("") }
                    continue
                }
                store.add(bytes[index])
                missing -= 1
                if missing == 0 { try emit(store.take()) }
            }
        }

        mutating func finish(emit: (String) throws -> Void) throws {
            guard missing == 0, lengthBytes == 0 else { throw Cut() }
        }
    }

    let obeys: Bool
    var width = 1
    var way = CopyTests.Way.appended

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser {
        Parser(maximumElementBytes, obeys: obeys, width: width, way: way)
    }
}
