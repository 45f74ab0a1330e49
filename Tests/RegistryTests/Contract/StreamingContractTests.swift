import PatchbayJSON
import Testing

@testable import PatchbayRegistry

@Suite("Serializers of elements")
struct StreamingContractTests {
    /// Gives the bytes between full stops.
    struct Sentences: StreamingSerializer {
        struct Parser: ElementParser {
            let limit: Int
            var rest: [UInt8] = []

            mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
                for index in bytes.indices {
                    guard bytes[index] != UInt8(ascii: ".") else {
                        try finish(emit: emit)
                        continue
                    }
                    guard rest.count < limit else { throw ElementLimitFailure(limit: limit) }
                    rest.append(bytes[index])
                }
            }

            mutating func finish(emit: (String) throws -> Void) throws {
                if !rest.isEmpty { try emit(String(decoding: rest, as: UTF8.self)) }
                rest = []
            }
        }

        func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> Parser { Parser(limit: maximumElementBytes) }
    }

    @Test("a whole body gives all the elements that a stream would give")
    func whole() throws {
        let head = try #require(ResponseHead.fixture(fields: [:]))
        let elements = try Sentences().serialize(ResponseBody(Array("one.two..three".utf8)), head)
        #expect(elements == ["one", "two", "three"])
    }

    @Test("an element that is too long is named with its limit")
    func limit() throws {
        let head = try #require(ResponseHead.fixture(fields: [:]))
        var parser = Sentences().makeParser(head, maximumElementBytes: 3)
        var elements: [String] = []
        let failure = #expect(throws: ElementLimitFailure.self) {
            try parser.parse(Array("one.four.".utf8)) { elements.append($0) }
        }
        #expect(failure.map { "\($0)" } == "an element is longer than 3 bytes")
        #expect(elements == ["one"])
    }

    @Test("a parser that says nothing of it goes on to the end of the body, and passes nothing over")
    func defaults() throws {
        let parser = Sentences().makeParser(try #require(ResponseHead.fixture(fields: [:])), maximumElementBytes: 3)
        #expect(!parser.isFinished)
        #expect(parser.skippedElements == 0)
    }

    static let failures: [(ElementFailure, String)] = {
        let parsing = Result { try JSON(document: Array("[1 2]".utf8)) }.failure ?? CancellationError()
        let decoding =
            Result { try JSON(parsing: #"{"a":{}}"#).decode([String: Int].self) }.failure ?? CancellationError()
        return [
            (ElementFailure(.line, 3, parsing), #"line 3, column 4: expected a comma or "]" after an array element"#),
            (
                ElementFailure(.event, 1, parsing),
                #"event 1: line 1, column 4: expected a comma or "]" after an array element"#
            ),
            (ElementFailure(.element, 2, decoding), "element 2: expected Int at /a"),
            (ElementFailure(.text, 7, reason: "it is cut off"), "text 7: it is cut off"),
        ]
    }()

    @Test("an element that cannot be read is named with its place and the reason", arguments: failures.indices)
    func failureIsSaid(_ index: Int) {
        let (failure, sentence) = Self.failures[index]
        #expect("\(failure)" == sentence)
        #expect((failure.cause == nil) == (failure.unit == .text))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
