import Foundation
import Patchbay
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

/// Texts with a NUL behind each, as `find -print0` writes them.
struct NULTerminatedTexts: StreamingSerializer {
    struct Parser: ElementParser {
        let limit: Int
        var text: [UInt8] = []
        var number = 1

        mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
            for index in bytes.indices {
                guard bytes[index] == 0 else {
                    guard text.count < limit else {
                        throw FormatFailure(
                            "nul", .limit, "it is longer than \(limit) bytes (maxBodyBytes)", element: number)
                    }
                    text.append(bytes[index])
                    continue
                }
                try emit(String(decoding: text, as: UTF8.self))
                text.removeAll(keepingCapacity: true)
                number += 1
            }
        }

        mutating func finish(emit: (String) throws -> Void) throws {
            guard text.isEmpty else {
                throw FormatFailure("nul", .truncated, "it has no NUL behind it", element: number)
            }
        }
    }

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(limit: maximumElementBytes) }
}

/// Payloads, each behind its length in four bytes, the highest first.
struct LengthPrefixed: StreamingSerializer {
    struct Frame: Equatable, Sendable { var payload = Data() }

    struct Parser: ElementParser {
        let limit: Int
        var length: UInt32 = 0
        var lengthBytes = 0
        var frame = Frame()
        var number = 1

        mutating func parse(_ bytes: Span<UInt8>, emit: (Frame) throws -> Void) throws {
            for index in bytes.indices {
                if lengthBytes < 4 {
                    (length, lengthBytes) = (length << 8 | UInt32(bytes[index]), lengthBytes + 1)
                    guard lengthBytes < 4 || length <= limit else {
                        throw FormatFailure(
                            "frame", .limit, "it is longer than \(limit) bytes (maxBodyBytes)", element: number)
                    }
                } else {
                    frame.payload.append(bytes[index])
                }
                guard lengthBytes == 4, frame.payload.count == length else { continue }
                try emit(frame)
                (length, lengthBytes, frame, number) = (0, 0, Frame(), number + 1)
            }
        }

        mutating func finish(emit: (Frame) throws -> Void) throws {
            guard lengthBytes == 0 else { throw FormatFailure("frame", .truncated, "it breaks off", element: number) }
        }
    }

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(limit: maximumElementBytes) }
}

/// JSON texts with a NUL behind each.
struct NULTerminatedJSON: StreamingSerializer, ElementDecodingSerializer {
    struct Parser<Value: Decodable & Sendable>: ElementParser {
        var texts: NULTerminatedTexts.Parser
        var number = 0

        mutating func parse(_ bytes: Span<UInt8>, emit: (Value) throws -> Void) throws {
            try texts.parse(bytes) { text in
                number += 1
                let value: Value
                do { value = try JSON(parsing: text).decode(Value.self) } catch {
                    throw FormatFailure("nul", .element, element: number, cause: error)
                }
                try emit(value)
            }
        }

        mutating func finish(emit: (Value) throws -> Void) throws { try texts.finish { _ in } }
    }

    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser<JSON> {
        Parser(texts: NULTerminatedTexts.Parser(limit: maximumElementBytes))
    }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) -> any ElementParser<Value> {
        Parser<Value>(texts: NULTerminatedTexts.Parser(limit: maximumElementBytes))
    }
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

    @Test("elements that begin with their length keep the contract", .timeLimit(.minutes(5))) func prefixed()
        async throws
    {
        func frame(_ text: String) -> LengthPrefixed.Frame { LengthPrefixed.Frame(payload: Data(text.utf8)) }
        let (two, cut) = ([0, 0, 0, 3, 97, 98, 99, 0, 0, 0, 0] as [UInt8], [0, 0, 0, 1, 97, 0, 0] as [UInt8])
        try await checkElementConformance(
            of: LengthPrefixed(),
            good: [ElementSample(ConformanceSample("two", Data(two)), [frame("abc"), frame("")])],
            bad: [
                ElementSample(ConformanceSample("cut in a length", Data(cut)), [frame("a")]),
                ElementSample(
                    ConformanceSample("cut in an element", Data(cut.dropLast(2) + [0, 0, 0, 9, 97])), [frame("a")]),
            ], unfinished: nil)
        var parser = LengthPrefixed.Parser(limit: 1 << 20)
        let error = #expect(throws: FormatFailure.self) {
            try parser.parse(([255, 255, 255, 255] as [UInt8]).span) { _ in }
        }
        #expect(error?.description == "frame, element 1: it is longer than 1048576 bytes (maxBodyBytes)")
        let stub = StubTransport { _ in StubReply(body: Data(two)) }
        let registry = try SerializerRegistry.standard.adding(
            "frames", LengthPrefixed(), types: ["application/x-frames"])
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: registry, transport: stub)
        var request = SessionRequest("frames")
        request.using = .entry("frames")
        var frames: [LengthPrefixed.Frame] = []
        for try await frame in try await manager.stream(request, of: LengthPrefixed.Frame.self) { frames.append(frame) }
        #expect(frames == [frame("abc"), frame("")])
        var bytes = Data()
        for try await piece in try await manager.stream(request, of: Data.self) { bytes += piece }
        #expect(bytes == Data(two))
    }

    /// JSON behind its length.
    private struct LengthPrefixedJSON: StreamingSerializer, ElementDecodingSerializer {
        struct Parser<Value: Decodable & Sendable>: ElementParser {
            var frames: LengthPrefixed.Parser

            mutating func parse(_ bytes: Span<UInt8>, emit: (Value) throws -> Void) throws {
                try frames.parse(bytes) { try emit(JSON(parsing: $0.payload).decode(Value.self)) }
            }

            mutating func finish(emit: (Value) throws -> Void) throws { try frames.finish { _ in } }
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> LengthPrefixed.Parser {
            LengthPrefixed.Parser(limit: maximumElementBytes)
        }

        func makeParser<Value: Decodable & Sendable>(
            of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
        ) -> any ElementParser<Value> {
            Parser<Value>(frames: LengthPrefixed.Parser(limit: maximumElementBytes))
        }
    }

    @Test("an array has the limit of the call, which its own elements do not know", arguments: [nil, 100])
    func arrays(_ most: Int?) async throws {
        let stub = StubTransport { _ in StubReply(body: Data([255, 255, 255, 255, 1])) }
        let registry = try SerializerRegistry.standard.adding("frames", LengthPrefixedJSON(), types: ["a/frames"])
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"), registry: registry, transport: stub)
        var request = SessionRequest("frames")
        request.using = .entry("frames")
        if let most { request.maximumBodyBytes = most }
        func sentence<Value: Sendable>(_ type: Value.Type) async -> String {
            let error = await #expect(throws: SessionError.self) { try await manager.send(request, as: type) }
            return error?.reason ?? ""
        }
        let decoded = await sentence([Event].self)
        #expect(decoded.contains("element 1: it is longer than \(most ?? 64 << 20) bytes (maxBodyBytes)"), "\(decoded)")
        let own = await sentence([LengthPrefixed.Frame].self)
        #expect(own.contains("element 1: it is longer than \(64 << 20) bytes (maxBodyBytes)"), "\(own)")
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

    private struct Event: Codable, Sendable, Equatable { let name: String }

    /// Elements of a type that is not `Decodable`.
    private struct Names: StreamingSerializer {
        struct Name: Sendable, Equatable { let text: String }

        struct Parser: ElementParser {
            var texts: NULTerminatedTexts.Parser

            mutating func parse(_ bytes: Span<UInt8>, emit: (Name) throws -> Void) throws {
                try texts.parse(bytes) { try emit(Name(text: $0)) }
            }

            mutating func finish(emit: (Name) throws -> Void) throws {
                try texts.finish { try emit(Name(text: $0)) }
            }
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser {
            Parser(texts: NULTerminatedTexts.Parser(limit: maximumElementBytes))
        }
    }

    private func manager(_ type: String, _ body: String) throws -> SessionManager {
        let stub = StubTransport { _ in StubReply(fields: ["Content-Type": type], body: body) }
        return SessionManager(baseURL: URL(string: "https://api.example.com"), registry: .standard, transport: stub)
    }

    private func show(_ manager: SessionManager) async throws {
        manager.registry = try manager.registry.adding("events", NULTerminatedJSON(), types: ["application/x-events"])
        for try await event in try await manager.stream("events", of: Event.self) { print(event.name) }
    }

    @Test("elements are decoded as the type of the call", .timeLimit(.minutes(5))) func typed() async throws {
        let manager = try manager("application/x-events", "{\"name\":\"Ada\"}\0{\"name\":\"Bob\"}\0")
        let lines = Shared<[String]>([])
        try await Printed.$lines.withValue(lines) { try await show(manager) }
        #expect(lines.withLock { $0 } == ["Ada", "Bob"])
        #expect(try await manager.get("x", as: [Event].self) == [Event(name: "Ada"), Event(name: "Bob")])
        var values: [JSON] = []
        for try await value in try await manager.stream("x") { values.append(try #require(value as? JSON)) }
        #expect(values == [["name": "Ada"], ["name": "Bob"]])
        try await checkElementConformance(
            of: NULTerminatedJSON(), good: [ElementSample(ConformanceSample("two", text: "1\0[2]\0"), [1, [2]])],
            bad: [ElementSample(ConformanceSample("cut", text: "1\02"), [1])],
            unfinished: ConformanceSample("no end", text: "1"))
        // The path of the fault has a key of the body, as in the built-in formats.
        try checkElementConformance(
            of: NULTerminatedJSON(), decoding: [String: Int].self,
            good: [ElementSample(ConformanceSample("one", text: "{\"ab\":1}\0"), [["ab": 1]])],
            bad: [ElementSample(ConformanceSample("a text", text: "{\"abcdef\":\"gh\"}\0"), [])],
            unfinished: ConformanceSample("no end", text: "1"))
    }

    struct Fault: Sendable {
        let body: String
        let code: FormatFailure.Code
        let element: Int
        let sentence: String
        var cause: (any Error.Type)?
        var isOfPage = true
    }

    @Test(
        "a fault names its element, and a text over the limit has the code serialization",
        arguments: [
            Fault(body: "1\02\03", code: .truncated, element: 3, sentence: "nul, element 3: it has no NUL behind it"),
            Fault(
                body: "{\"name\":\"Ada\"}\0{\"name\":1}\0", code: .element, element: 2,
                sentence: "nul, element 2: expected String at /name", cause: DecodingError.self),
            Fault(
                body: "{\"name\":\"Ada\"}\0{\"name\":]}\0", code: .element, element: 2,
                sentence: "nul, element 2: line 1, column 9: expected a value",
                cause: FormatFailure.self, isOfPage: false),
            Fault(
                body: "1\0\(String(repeating: " ", count: 40))\0", code: .limit, element: 2,
                sentence: "nul, element 2: it is longer than 32 bytes (maxBodyBytes)", isOfPage: false),
        ])
    func faults(_ fault: Fault) async throws {
        let manager = try manager("application/x-events", fault.body)
        manager.registry = try manager.registry.adding("events", NULTerminatedJSON(), types: ["application/x-events"])
        var request = SessionRequest("x")
        request.maximumBodyBytes = 32
        let error = await #expect(throws: SessionError.self) {
            if fault.code == .element {
                for try await _ in try await manager.stream(request, of: Event.self) {}
            } else {
                for try await _ in try await manager.stream(request, of: Int.self) {}
            }
        }
        #expect(error?.code == .serialization)
        #expect(error?.reason.contains(fault.sentence) == true, "\(String(describing: error))")
        let failure = try #require(error?.cause as? FormatFailure)
        #expect(failure.code == fault.code && failure.element == fault.element)
        #expect(failure.cause.map { "\(type(of: $0))" } == fault.cause.map { "\($0)" })
        if fault.isOfPage {
            #expect(try Markdown("Documentation/OwnFraming.md").text.contains("`\(fault.sentence)`"))
        }
    }

    @Test("elements can be of a type that is not Decodable") func ownType() async throws {
        let manager = try manager("application/x-names", "a.txt\0雪.txt\0")
        manager.registry = try manager.registry.adding("names", Names(), types: ["application/x-names"])
        var names: [Names.Name] = []
        for try await name in try await manager.stream("x", of: Names.Name.self) { names.append(name) }
        #expect(names.map(\.text) == ["a.txt", "雪.txt"])
        #expect(try await manager.get("x", as: [Names.Name].self) == names)
    }

    @Test("is the one of the page") func page() throws {
        let page = try Markdown("Documentation/OwnFraming.md")
        #expect(page.blocks(of: "swift").count == 7)
        #expect(try page.swift(missingIn: ["Tests/PatchbayTests/OwnFramingTests.swift"]) == [])
    }
}
