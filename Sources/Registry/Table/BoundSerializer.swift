import PatchbayJSON

/// A serializer with the rules of its entry and its capabilities, which are computed once, when the registry is built.
///
/// A class of constants, so that a decision keeps only a reference to it.
package final class BoundSerializer: Sendable {
    /// The id of the entry; nil for a serializer that a request sets.
    let entry: String?
    package let maximumBodyBytes: Int?
    package let onFailure: FailureRule
    package let serializer: any ResponseSerializer
    /// `serializer`, if it decodes any `Decodable`.
    let decoding: (any DecodingSerializer)?
    /// `serializer`, if it unwraps bodies for later entries.
    package let unwrapping: (any UnwrappingSerializer)?
    /// `serializer`, if it yields elements of its own type.
    let streaming: (any StreamingSerializer)?
    /// The type of the elements of `streaming`.
    package let element: (any Sendable.Type)?
    /// `serializer`, if it yields elements of any `Decodable`.
    let elementDecoding: (any ElementDecodingSerializer)?
    /// `serializer`, if it yields the lines of its text.
    let lines: (any LineYieldingSerializer)?
    package let output: any Sendable.Type
    let acceptsEmptyBody: Bool
    /// The reason that the serializer declines a response that its entry covers; nil if it reads the response.
    let declineReason: @Sendable (ResponseHead) -> String?

    /// - Parameter isAsked: whether the `declineReason` of the serializer is considered. If false, it declines nothing.
    init(
        _ serializer: any ResponseSerializer, entry: String? = nil, maximumBodyBytes: Int? = nil,
        onFailure: FailureRule = .error, isAsked: Bool = true
    ) {
        func outputType<Serializer: ResponseSerializer>(_ serializer: Serializer) -> any Sendable.Type {
            Serializer.Output.self
        }
        func elementType<Serializer: StreamingSerializer>(_ serializer: Serializer) -> any Sendable.Type {
            Serializer.Element.self
        }
        func decliner(_ serializer: some ResponseSerializer) -> @Sendable (ResponseHead) -> String? {
            { serializer.declineReason($0) }
        }
        self.entry = entry
        self.maximumBodyBytes = maximumBodyBytes
        self.onFailure = onFailure
        self.serializer = serializer
        decoding = serializer as? any DecodingSerializer
        unwrapping = serializer as? any UnwrappingSerializer
        streaming = serializer as? any StreamingSerializer
        element = streaming.map { elementType($0) }
        elementDecoding = serializer as? any ElementDecodingSerializer
        lines = serializer as? any LineYieldingSerializer
        self.output = outputType(serializer)
        acceptsEmptyBody = serializer.acceptsEmptyBody
        if isAsked { declineReason = decliner(serializer) } else { declineReason = { _ in nil } }
    }

    /// Whether the serializer yields elements one by one, of any type.
    package var yields: Bool { element != nil || elementDecoding != nil || lines != nil }

    /// The id of the entry; `(request)` for a serializer that a request sets.
    package var name: String { entry ?? Attempt.request }

    /// A value of the serializer's own output type.
    func value(_ body: ResponseBody, _ head: ResponseHead) throws -> any Sendable {
        func value(_ serializer: some ResponseSerializer) throws -> any Sendable {
            try serializer.serialize(body, head)
        }
        return try value(serializer)
    }

    /// Whether the elements of the serializer are `ResponsePart`s, which the registry looks up by their own media
    /// types.
    var givesParts: Bool { element == ResponsePart.self }

    /// The value that `wanted` describes; nil if this serializer cannot make such a value.
    func value(_ wanted: WantedValue, _ body: ResponseBody, _ head: ResponseHead) throws -> (any Sendable)? {
        func decoded<Decoded: Decodable & Sendable>(
            _ type: Decoded.Type, _ serializer: some DecodingSerializer
        ) throws -> any Sendable {
            try serializer.decode(type, from: body, head)
        }
        if let type = wanted.type, output == type { return try value(body, head) }
        guard let decoding, let decodable = wanted.decodable else { return nil }
        return try decoded(decodable, decoding)
    }

    /// The parser for elements of a type; nil if this serializer cannot yield them one by one.
    func elementParser<Element: Sendable>(
        of type: Element.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> (any ElementParser<Element>)? {
        func own(_ serializer: some StreamingSerializer) throws -> any ElementParser {
            try serializer.makeParser(head, maximumElementBytes: maximumElementBytes)
        }
        func decoding<Decoded: Decodable & Sendable>(_ type: Decoded.Type) throws -> (any ElementParser)? {
            try elementDecoding?.makeParser(of: type, head, maximumElementBytes: maximumElementBytes)
        }
        let parser: (any ElementParser)?
        if let streaming, element == type {
            parser = try own(streaming)
        } else if type == String.self, let lines {
            parser = try lines.makeLineParser(head, maximumElementBytes: maximumElementBytes)
        } else {
            parser = try (type as? any (Decodable & Sendable).Type).flatMap { try decoding($0) }
        }
        return parser as? any ElementParser<Element>
    }

    /// The parser for elements of any type: the serializer's own type, lines, or `JSON`. Nil if the serializer makes
    /// one value.
    func elementParser(
        _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> (any ElementParser<any Sendable>)? {
        func any(_ parser: some ElementParser) -> any ElementParser<any Sendable> { AnyElementParser(parser: parser) }
        func own(_ serializer: some StreamingSerializer) throws -> any ElementParser<any Sendable> {
            any(try serializer.makeParser(head, maximumElementBytes: maximumElementBytes))
        }
        if let streaming { return try own(streaming) }
        if let lines { return any(try lines.makeLineParser(head, maximumElementBytes: maximumElementBytes)) }
        return try elementDecoding.map {
            any(try $0.makeParser(of: JSON.self, head, maximumElementBytes: maximumElementBytes))
        }
    }
}

/// The writer of an entry.
package final class BoundWriter: Sendable {
    /// The id of the entry.
    package let entry: String
    package let serializer: any RequestSerializer
    /// `serializer`, if it writes elements one by one.
    package let elements: (any ElementWritingSerializer)?

    init(_ serializer: any RequestSerializer, entry: String) {
        self.entry = entry
        self.serializer = serializer
        elements = serializer as? any ElementWritingSerializer
    }
}

/// A parser whose elements have no static type.
private struct AnyElementParser<Parser: ElementParser>: ElementParser {
    var parser: Parser

    var isFinished: Bool { parser.isFinished }
    var skippedElements: Int { parser.skippedElements }

    mutating func parse(_ bytes: Span<UInt8>, emit: (any Sendable) throws -> Void) throws {
        try parser.parse(bytes) { try emit($0) }
    }

    mutating func finish(emit: (any Sendable) throws -> Void) throws {
        try parser.finish { try emit($0) }
    }
}

extension AnyElementParser: ResumableElementParser where Parser: ResumableElementParser {
    var lastEventID: String {
        get { parser.lastEventID }
        set { parser.lastEventID = newValue }
    }
    var reconnectionTime: Duration? { parser.reconnectionTime }
    var hasIgnoredID: Bool { parser.hasIgnoredID }
    var position: StreamPosition? {
        get { parser.position }
        set { parser.position = newValue }
    }
}
