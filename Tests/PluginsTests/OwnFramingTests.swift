import Foundation
import PatchbayJSON
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// Texts with a NUL behind each, as `find -print0` writes them.
struct NULTerminatedTexts: StreamingSerializer {
    struct Parser: ElementParser {
        let limit: Int
        var text: [UInt8] = []

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            for index in bytes.indices {
                guard bytes[index] == 0 else {
                    guard text.count < limit else {
                        throw FormatFailure("nul", .limit, "a text is longer than \(limit) bytes")
                    }
                    text.append(bytes[index])
                    continue
                }
                try emit(String(decoding: text, as: UTF8.self))
                text.removeAll(keepingCapacity: true)
            }
        }

        mutating func finish(emit: (String) throws -> Void) throws {
            guard text.isEmpty else {
                throw FormatFailure("nul", .truncated, "the last text has no NUL behind it")
            }
        }
    }

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(limit: maximumElementBytes) }
}

extension NULTerminatedTexts: ElementWritingSerializer {
    func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        guard let text = value as? String, !text.utf8.contains(0) else {
            throw FormatFailure("nul", .unsupported, "an element is not a text without NUL", element: position + 1)
        }
        return Data(text.utf8) + [0]
    }
}

/// The page about a framing of one's own: its Swift is in this file, and passes the kit.
@Suite("A framing of one's own") struct OwnFramingTests {
    @Test("keeps the contract", .timeLimit(.minutes(5))) func conformance() async throws {
        try await checkElementConformance(
            of: NULTerminatedTexts(),
            good: [ElementSample(ConformanceSample("two files", text: "a.txt\0雪.txt\0"), ["a.txt", "雪.txt"])],
            bad: [ElementSample(ConformanceSample("cut", text: "a.txt\0b"), ["a.txt"])],
            unfinished: ConformanceSample("no end", text: "a"))
    }

    @Test("keeps the contract of what it writes", .timeLimit(.minutes(5))) func writing() async throws {
        try await checkElementConformance(
            of: NULTerminatedTexts(), writing: ["a.txt", "雪.txt"], as: "application/x-nul",
            refusing: ["a.txt\0b.txt", 1])
    }

    @Test("writes arrays and elements, and declines any other value") func lookedUp() throws {
        let registry = try SerializerRegistry(
            sources: [.text(#"{"manifestVersion": 1, "inherit": false, "plugins": []}"#, name: "empty")],
            factories: SerializerFactories()
        ).adding("nul", NULTerminatedTexts(), types: ["application/x-nul"])
        let names = registry.writer(of: .value(["a.txt", "雪.txt"]), as: "application/x-nul", for: nil)
        #expect(try names.write(["a.txt", "雪.txt"]) == Data("a.txt\0雪.txt\0".utf8))
        #expect(throws: FormatFailure.self) { try names.write(["a.txt", "b\0c"]) }
        #expect(registry.writer(of: .elements(String.self), as: "application/x-nul", for: nil).writer != nil)
        #expect(registry.explain(writing: ["name": "a.txt"], in: "application/x-nul").outcome == .error)
    }

    @Test("is the one of the page") func page() throws {
        let page = try Markdown("Documentation/OwnFraming.md")
        #expect(page.blocks(of: "swift").count == 4)
        #expect(try page.swift(missingIn: ["Tests/PluginsTests/OwnFramingTests.swift"]) == [])
    }
}
