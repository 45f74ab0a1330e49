import PatchbayPlatform

/// Makes the elements of one response while its body arrives, with the serializers of a `Decision`.
package struct ElementReader<Element: Sendable>: Sendable {
    /// The way in which the elements are made.
    private enum Way: Sendable {
        /// A parser finds the elements while the bytes arrive: the parser of an entry or, without an entry, a parser
        /// for the lines or the pieces of the body.
        case parser(any ElementParser<Element>, by: BoundSerializer?)
        /// The elements are made from the whole body, at its end.
        case body(BodyBuffer)
        case finished
    }

    private let decision: Decision
    private var way: Way
    /// The number of skipped elements after the parser has been released.
    private var skipped = 0
    /// The limit for one element, or for the body if it makes one element.
    private var limit: BodyLimit
    /// The position in the stream after the last given element; nil if the format has no positions, or before the
    /// reading has begun.
    package private(set) var position: StreamPosition?

    /// - Throws: if no entry can make the elements.
    package init(_ decision: Decision) throws(LookupFailure) {
        self.decision = decision
        limit = decision.limit
        guard decision.outcome != .empty else {
            way = .finished
            return
        }
        var attempts: [Attempt] = []
        for candidate in decision.planned {
            let limit = decision.limit(of: candidate)
            do {
                guard
                    let parser = try decision.elementParser(
                        of: Element.self, by: candidate, maximumElementBytes: limit.bytes)
                else { break }
                self.limit = limit
                way = .parser(parser, by: candidate)
                return
            } catch {
                attempts.append(Attempt(entry: candidate.name, error: error))
                guard candidate.onFailure != .error else {
                    throw LookupFailure(.serialization, decision, attempts, entry: candidate.entry, cause: error)
                }
            }
        }
        guard decision.planned.isEmpty else {
            way = .body(BodyBuffer())
            return
        }
        if let failure = decision.failureAtHead { throw failure }
        guard let parser = Self.tail(decision.head, limit.bytes) else {
            throw LookupFailure(.noEntryProduces, decision, attempts)
        }
        way = .parser(parser, by: nil)
    }

    /// Whether there are no more elements, even if more bytes arrive.
    package var isFinished: Bool {
        switch way {
        case .parser(let parser, _): parser.isFinished
        case .body: false
        case .finished: true
        }
    }

    /// The number of elements that were skipped so far, because an option of the entry allows it.
    package var skippedElements: Int {
        if case .parser(let parser, _) = way { parser.skippedElements } else { skipped }
    }

    /// The id from which a request can continue the stream if the body ends here, and the wait before it; nil if
    /// streams of the format cannot be continued.
    package var place: StreamPlace? {
        guard case .parser(let parser, _) = way, let parser = parser as? any ResumableElementParser<Element> else {
            return nil
        }
        return StreamPlace(
            lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime,
            hasIgnoredID: parser.hasIgnoredID)
    }

    /// Continues after the elements of an earlier body, or begins a stream. Call this function before the first byte.
    /// - Parameter position: the position of the earlier body; nil for the first body.
    /// - Returns: false if streams of the format cannot be continued.
    package mutating func takeUp(after lastEventID: String, _ position: StreamPosition? = nil) -> Bool {
        guard case .parser(let parser, let candidate) = way,
            var parser = parser as? any ResumableElementParser<Element>
        else { return false }
        position?.begin(after: lastEventID)
        self.position = position ?? StreamPosition(lastEventID)
        parser.lastEventID = lastEventID
        parser.position = self.position
        way = .parser(parser, by: candidate)
        return true
    }

    /// Reads the next bytes of the body.
    /// - Parameter elements: gets the elements that are complete, even if the bytes after them are malformed.
    package mutating func read(_ bytes: [UInt8], into elements: inout [Element]) throws(LookupFailure) {
        switch way {
        case .parser(var parser, let candidate):
            // Moved out of `way` and back, so that the buffer of the parser is never copied.
            way = .finished
            do {
                try parser.parse(bytes) { element in
                    if elements.count & 15 == 15 { try Interruption.check() }
                    elements.append(element)
                }
            } catch {
                throw failure(error, by: candidate)
            }
            way = .parser(parser, by: candidate)
        case .body(let buffer):
            guard bytes.count <= limit.bytes - buffer.count, bytes.withUnsafeBytes({ buffer.append($0) }) else {
                way = .finished
                throw decision.tooLarge(received: buffer.count)
            }
        case .finished: return
        }
    }

    package mutating func finish(into elements: inout [Element]) throws(LookupFailure) {
        defer { way = .finished }
        switch way {
        case .parser(var parser, let candidate):
            way = .finished
            do {
                try parser.finish { elements.append($0) }
                skipped = parser.skippedElements
            } catch {
                throw failure(error, by: candidate)
            }
        case .body(let buffer):
            // An empty body has no elements.
            guard buffer.count > 0 else { return try decision.checkEmpty(.empty, []) }
            let body = buffer.finish()
            let made: [Element]? =
                if decision.wanted.kind == .anyElements {
                    converted(try decision.serialize(body).value, to: Element.self).map { [$0] }
                } else {
                    try decision.serializeWanted(body).value as? [Element]
                }
            guard let made else { throw LookupFailure(.noEntryProduces, decision, []) }
            elements = made
        case .finished: return
        }
    }

    private func failure(_ error: any Error, by candidate: BoundSerializer?) -> LookupFailure {
        let error =
            Interruption.isNoticed ? CancellationError() : (error as? ElementLimitFailure)?.named(limit) ?? error
        let attempts = candidate.map { [Attempt(entry: $0.name, error: error)] } ?? []
        let code: LookupFailure.Code =
            switch error {
            case is CancellationError: .cancelled
            case is ElementLimitFailure: .bodyTooLarge
            case is TextDecodingFailure: .undecodableText
            default: .serialization
            }
        return LookupFailure(code, decision, attempts, entry: candidate?.entry, cause: error)
    }

    /// The parser if no entry makes the elements: for the lines of a text, or for the pieces of the body.
    private static func tail(_ head: ResponseHead, _ limit: Int) -> (any ElementParser<Element>)? {
        func tail<Made: Sendable>(_ type: Made.Type) -> (any ElementParser<Made>)? {
            let lines = LineParser(head.contentType, maximumElementBytes: limit)
            if type == (any Sendable).self { return Pieces { Data($0) as any Sendable } as? any ElementParser<Made> }
            let tails: [any ElementParser] = [
                lines, Pieces { Data($0) }, Pieces { [UInt8]($0) }, Pieces { ResponseBody($0) },
            ]
            return tails.lazy.compactMap { $0 as? any ElementParser<Made> }.first
        }
        func inOptionals<Wrapped: Sendable>(_ wrapped: Wrapped.Type) -> (any ElementParser<Element>)? {
            tail(wrapped)?.map { converted($0, to: Element.self) }
        }
        guard let wrapped = wrappedType(of: Element.self) else { return tail(Element.self) }
        return inOptionals(wrapped)
    }
}

extension Decision {
    /// The reason that no entry can make a value, whatever the body is; nil if an entry can make one.
    package var failureAtHead: LookupFailure? {
        guard case .failure(let failure) = plan.ending, plan.first == nil else { return nil }
        return LookupFailure(failure, self, [])
    }
}

extension Decision {
    /// The parser that the serializer `candidate` uses for elements of a type; nil if `candidate` makes one value from
    /// the whole body.
    ///
    /// - Parameters:
    ///   - maximumElementBytes: the limit for one element, in bytes of the body.
    ///   - size: counts what is gathered from each part; nil if no list is made.
    func elementParser<Element: Sendable>(
        of type: Element.Type, by candidate: BoundSerializer, maximumElementBytes: Int, _ size: ListSize? = nil
    ) throws -> (any ElementParser<Element>)? {
        if let parser = try candidate.elementParser(of: type, head, maximumElementBytes: maximumElementBytes) {
            return parser
        }
        guard candidate.givesParts,
            let parts = try candidate.elementParser(
                of: ResponsePart.self, head, maximumElementBytes: maximumElementBytes)
        else { return nil }
        return parts.map { part in try value(of: part, as: type, size) }
    }

    /// All elements of a type in a body. One element if the body makes one value; nil if the serializer `candidate`
    /// cannot make the type.
    func elements<Element: Sendable>(
        of type: Element.Type, by candidate: BoundSerializer, _ body: ResponseBody
    ) throws -> (any Sendable)? {
        let size = override.listSize ?? ListSize()
        let limit = limit(of: candidate).bytes
        if var parser = try elementParser(of: type, by: candidate, maximumElementBytes: limit, size) {
            return try parser.elements(of: body, size)
        }
        return try candidate.value(.type(type), body, head).flatMap { converted($0, to: type) }.map { [$0] }
    }

    /// The value of a part. The registry chooses the entry by the media type of the part, as for a response.
    private func value<Value: Sendable>(
        of part: ResponsePart, as type: Value.Type, _ size: ListSize?
    ) throws -> Value {
        var fields = part.fields
        fields["Content-Type"] = part.mediaType.description
        let partHead = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        let planner = LookupPlanner(
            registry: registry, section: section, head: partHead, isAcceptable: true, wanted: .type(type),
            override: LookupOverride(
                excluding: override.excluding, maximumBodyBytes: override.maximumBodyBytes, listSize: size),
            unwrapping: nil)
        return try Decision(planner).serialize(part.body, as: type).value
    }
}
