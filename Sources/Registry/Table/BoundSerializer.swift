import PatchbayJSON
import PatchbayPlatform

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
    /// Whether the value is the body as it is.
    package let keepsBytes: Bool
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
        keepsBytes = serializer is any BytesSerializer
        acceptsEmptyBody = serializer.acceptsEmptyBody
        if isAsked { declineReason = decliner(serializer) } else { declineReason = { _ in nil } }
    }

    /// Whether the serializer yields elements one by one, of any type.
    package var yields: Bool { element != nil || elementDecoding != nil || lines != nil }

    /// Whether the elements are texts of JSON, which can be null.
    private var readsJSON: Bool {
        output == JSON.self || element == JSON.self || serializer is any JSONElementDecodingSerializer
    }

    /// Whether no entry before this one waits for entries that yield elements: the entries after it read other bytes, or
    /// it takes whatever its place in the list gives it.
    var endsWait: Bool { unwrapping != nil || keepsBytes }

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
        let decodable = wanted.decodable(from: body)
        // Only a decoding serializer knows whether the body of a type that it makes is null.
        let isOptional = wanted.optionalType != nil && decodable == wanted.optionalType
        if wanted.isAsked(output), !isOptional || decoding == nil { return wanted.orNil(try value(body, head)) }
        guard let decoding, let decodable else { return nil }
        return wanted.orNil(try decoded(decodable, decoding))
    }

    /// The parser for elements of a type; nil if this serializer cannot yield them one by one. Elements of an optional are
    /// those of the type that it wraps. A serializer that reads JSON decodes the optional itself, because an element can
    /// be null.
    func elementParser<Element: Sendable>(
        of type: Element.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> (any ElementParser<Element>)? {
        func decoding<Decoded: Decodable & Sendable>(_ type: Decoded.Type) throws -> (any ElementParser)? {
            try elementDecoding?.makeParser(of: type, head, maximumElementBytes: maximumElementBytes)
        }
        func inOptionals<Wrapped: Sendable>(_ wrapped: Wrapped.Type) throws -> (any ElementParser<Element>)? {
            try elementParser(of: wrapped, head, maximumElementBytes: maximumElementBytes)?
                .map { converted($0, to: type) }
        }
        let parser: (any ElementParser)?
        if let streaming, element == type {
            parser = try streaming.makeParser(head, maximumElementBytes: maximumElementBytes)
        } else if type == (any Sendable).self {
            parser = try anyElementParser(head, maximumElementBytes: maximumElementBytes)
        } else if let wrapped = wrappedType(of: type),
            !readsJSON || wrapped == JSON.self || wrapped == element || !(type is any Decodable.Type)
        {
            return try inOptionals(wrapped)
        } else if type == String.self, let lines {
            parser = try lines.makeLineParser(head, maximumElementBytes: maximumElementBytes)
        } else {
            parser = try (type as? any (Decodable & Sendable).Type).flatMap { try decoding($0) }
        }
        return parser as? any ElementParser<Element>
    }

    /// The parser for elements of any type: the serializer's own type, lines, `JSON`, or the pieces of the body. Nil if
    /// the serializer makes one value.
    private func anyElementParser(
        _ head: ResponseHead, maximumElementBytes: Int
    ) throws -> (any ElementParser<any Sendable>)? {
        func any(_ parser: some ElementParser) -> any ElementParser<any Sendable> { parser.map { $0 } }
        if keepsBytes { return Pieces { Data($0) as any Sendable } }
        if let streaming { return any(try streaming.makeParser(head, maximumElementBytes: maximumElementBytes)) }
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

extension ElementParser {
    /// This parser with other elements. An element of which the closure makes nil is left out.
    func map<Made: Sendable>(
        _ make: @escaping @Sendable (Element) throws -> Made?
    ) -> any ElementParser<Made> {
        MappedParser(parser: self, make: make)
    }
}

/// Makes other elements of those that a parser finds.
private struct MappedParser<Parser: ElementParser, Element: Sendable>: CountingElementParser {
    var parser: Parser
    let make: @Sendable (Parser.Element) throws -> Element?
    /// Counts the elements of the inner parser: they know their size, or the inner parser counts what it parsed for them.
    var listSize: ListSize? {
        didSet {
            guard !Self.isMeasured, var counting = parser as? any CountingElementParser else { return }
            counting.listSize = listSize
            parser = counting as? Parser ?? parser
        }
    }

    private static var isMeasured: Bool { Parser.Element.self is any MeasuredElement.Type }

    var isFinished: Bool { parser.isFinished }
    var skippedElements: Int { parser.skippedElements }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        let emitMade = emittingMade
        try parser.parse(bytes) { try emitMade($0, emit) }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        let emitMade = emittingMade
        try parser.finish { try emitMade($0, emit) }
    }

    /// Counts an element of the inner parser, and emits the element that is made of it.
    private var emittingMade: (Parser.Element, (Element) throws -> Void) throws -> Void {
        let (make, size) = (make, Self.isMeasured ? listSize : nil)
        return { element, emit in
            if let size, let element = element as? any MeasuredElement { try size.add(element.parsedBytes) }
            if let made = try make(element) { try emit(made) }
        }
    }
}

extension MappedParser: ResumableElementParser where Parser: ResumableElementParser {
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
