import Foundation
import TestSupport
import Testing

@testable import PatchbayJSON

#if FastJSON && os(Linux)
    import CPatchbaySimdjson
#endif

/// What a parsed document may take, to the byte, and what the largest hostile ones take of the process.
@Suite(.timeLimit(.minutes(5))) struct MemoryLimitTests {
    /// A text and the size that `ParseOptions.maximumSize` says it has.
    static let sizes: [(String, Int)] = [
        ("1", 16 + 16), ("[]", 16 + 16), (#""abc""#, 16 + 8 + 8), ("[1,true,null]", 16 + 16 + 16 + 8 + 8),
        (#"{"a":"é","b":[1.5]}"#, 16 + 16 + 8 + 6 + 8 + 7 + 8 + 6 + 16 + 16),
        ("[\(Array(repeating: "0", count: 300).joined(separator: ","))]", 16 + 16 + 300 * 16),
        ("[\(Array(repeating: #""x""#, count: 300).joined(separator: ","))]", 16 + 16 + 300 * (8 + 6)),
        (String(repeating: "[", count: 400) + String(repeating: "]", count: 400), 16 + 400 * 16),
    ]

    @Test(arguments: sizes) func isExact(_ text: String, _ size: Int) throws {
        for limit in [size - 1, size, size + 1] {
            let options = JSON.ParseOptions(maximumSize: limit)
            ParserAgreementTests.expectAgreement(Array(text.utf8), options)
            if limit >= size {
                #expect(try JSON(document: text, options: options) == JSON(document: text))
                continue
            }
            let failure = #expect(throws: JSON.ParseFailure.self) { try JSON(document: text, options: options) }
            #expect(failure?.reason == .size)
            #expect(failure?.message == "the document takes more than \(limit) bytes once it is parsed")
        }
    }

    #if FastJSON && os(Linux)
        @Test("Bytes that simdjson takes for tokens count as tokens", arguments: [",:{}[]", "\u{0C}\u{1A}"])
        func countsEveryToken(_ bytes: String) {
            let text =
                Array("[\(String(repeating: bytes, count: 20_000))]".utf8) + [UInt8](repeating: 0, count: JSON.padding)
            let count = text.count - JSON.padding
            text.withUnsafeBufferPointer { text in
                guard let start = text.baseAddress else { return }
                // Each token takes four bytes, so that this is less than they need.
                let tokens = patchbay_tokens_find(start, count, JSON.padding, count)
                #expect(tokens == nil)
                if let tokens { patchbay_tokens_free(tokens) }
            }
        }
    #endif

    @Test(arguments: [Int.min, -1, 0, Int.max]) func takesEveryLimit(_ limit: Int) throws {
        let options = JSON.ParseOptions(maximumDepth: limit, maximumSize: limit)
        let json = try? JSON(document: "[\(String(repeating: " ", count: 300))]", options: options)
        #expect((json != nil) == (limit > 0))
    }

    #if os(Linux)
        private static let full = ConditionTrait.enabled(
            if: TestLength.isFull, "PATCHBAY_FULL_LENGTH=1 asks every text")

        /// 64 MiB of each, which is what a body may have, in a process of its own.
        @Test func holdsNumbers() async {
            await #expect(processExitsWith: .success) { try Self.expectBounded("[", "1,", "1]") }
        }

        @Test(Self.full) func holdsOneKey() async {
            await #expect(processExitsWith: .success) { try Self.expectBounded("{", #""k":0,"#, #""k":0}"#) }
        }

        @Test(Self.full) func holdsBrackets() async {
            await #expect(processExitsWith: .success) { try Self.expectBounded("[", "[],", "[]]") }
        }

        /// No JSON, but tokens all the same, and none that a comma or a bracket tells of.
        @Test(Self.full, arguments: ["1 ", "\u{1} ", #""""#])
        func holdsScalarsWithoutSeparators(_ item: String) async {
            await #expect(processExitsWith: .success) { [item] in try Self.expectBounded("[", item, "]") }
        }

        /// What a body of that size can be expected to hold is parsed, with the trait by simdjson, in the same memory.
        @Test(arguments: [
            #"{"id":1234567890,"t":"\#(String(repeating: "x", count: 200))"},"#,
            "[-65.613616999999977,43.420273000000009],",
        ])
        func parsesWhatIsPlausible(_ item: String) async {
            await #expect(processExitsWith: .success) { [item] in
                try Self.expectBounded("[", item, String(item.dropLast()) + "]", isParsed: true)
            }
        }

        /// What the process takes at its peak besides the text: tape, tokens, tables of keys.
        private static func expectBounded(
            _ start: String, _ item: String, _ end: String, isParsed: Bool = false
        ) throws {
            let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 20, alignment: 16)
            let base = try #require(text.baseAddress)
            let items = (text.count - start.utf8.count - end.utf8.count) / item.utf8.count
            memset(base, 0x20, text.count)
            text.copyBytes(from: Array((start + item).utf8))
            // Each copy doubles what is there.
            let first = base + start.utf8.count
            var filled = item.utf8.count
            while filled < items * item.utf8.count {
                let part = min(filled, items * item.utf8.count - filled)
                memcpy(first + filled, first, part)
                filled += part
            }
            memcpy(base + text.count - end.utf8.count, Array(end.utf8), end.utf8.count)

            let before = try PeakMemory.kibibytes()
            let json = try? JSON(document: UnsafeRawBufferPointer(text))
            try #require((json != nil) == isParsed)
            let taken = try PeakMemory.kibibytes() - before
            try #require(taken <= 180 << 10)
            #if FastJSON && os(Linux)
                let bytes = UnsafeBufferPointer(text.bindMemory(to: UInt8.self))
                try #require(
                    (Tape.filledBySimdjson(bytes, .init()) != nil) == (isParsed && patchbay_simdjson_is_known()))
            #endif
        }
    #endif
}
