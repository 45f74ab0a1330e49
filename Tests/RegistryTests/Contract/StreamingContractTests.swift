import Testing

@testable import PatchbayRegistry

@Suite("Serializers of elements")
struct StreamingContractTests {
    /// Gives the bytes between full stops.
    struct Sentences: StreamingResponseSerializer {
        struct Parser: ElementParser {
            let limit: Int
            var rest: [UInt8] = []

            mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
                for index in bytes.indices {
                    guard bytes[index] != UInt8(ascii: ".") else {
                        try finish(emit: emit)
                        continue
                    }
                    guard rest.count < limit else { throw ElementLimitExceeded(limit: limit) }
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
        let failure = #expect(throws: ElementLimitExceeded.self) {
            try parser.parse(Array("one.four.".utf8).span) { elements.append($0) }
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
}
