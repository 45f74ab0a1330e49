import PatchbayJSON
import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Hands over what lies between bytes of one kind.
struct SplitParser<Element: Sendable>: ElementParser {
    let separator: UInt8
    let limit: Int
    let make: @Sendable ([UInt8]) throws -> Element
    private var rest: [UInt8] = []

    init(_ separator: Unicode.Scalar, _ limit: Int, _ make: @escaping @Sendable ([UInt8]) throws -> Element) {
        self.separator = UInt8(ascii: separator)
        self.limit = limit
        self.make = make
    }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        for index in bytes.indices {
            if bytes[index] == separator {
                try finish(emit: emit)
            } else {
                guard rest.count < limit else { throw ElementLimitFailure(limit: limit) }
                rest.append(bytes[index])
            }
        }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        defer { rest = [] }
        if !rest.isEmpty { try emit(make(rest)) }
    }
}

/// Yields whole numbers between blanks.
struct NumbersFixture: StreamingSerializer {
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> SplitParser<Int> {
        SplitParser(" ", maximumElementBytes) { word in
            guard let number = Int(String(decoding: word, as: UTF8.self)) else { throw Broken() }
            return number
        }
    }
}

/// Keeps the bytes.
struct RawFixture: BytesSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) -> ResponseBody { body }
}

/// Yields words.
struct WordsFixture: StreamingSerializer {
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> SplitParser<String> {
        SplitParser(" ", maximumElementBytes) { String(decoding: $0, as: UTF8.self) }
    }
}

/// Yields the JSON of each line, and any `Decodable` of it.
struct JSONLinesFixture: StreamingSerializer, ElementDecodingSerializer {
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> SplitParser<JSON> {
        SplitParser("\n", maximumElementBytes) { try JSON(parsing: Data($0)) }
    }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) -> any ElementParser<Value> {
        SplitParser("\n", maximumElementBytes) { try JSON(parsing: Data($0)).decode(type) }
    }
}

/// Yields parts: the media type and the text of each line, a blank between them.
struct PartsFixture: StreamingSerializer {
    func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> SplitParser<ResponsePart> {
        SplitParser("\n", maximumElementBytes) { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
            return ResponsePart(fields: ["Content-Type": words[0]], body: ResponseBody(text: words.last ?? ""))
        }
    }
}

/// JSON and any `Decodable` as a whole, and any `Decodable` of each line.
struct JSONListFixture: DecodingSerializer, ElementDecodingSerializer {
    func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> JSON { try JSON(parsing: body.data) }

    func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from body: ResponseBody, _ head: ResponseHead
    ) throws -> Value {
        try JSON(parsing: body.data).decode(type)
    }

    func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) -> any ElementParser<Value> {
        JSONLinesFixture().makeParser(of: type, head, maximumElementBytes: maximumElementBytes)
    }
}
