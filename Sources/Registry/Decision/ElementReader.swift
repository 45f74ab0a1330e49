import PatchbayPlatform

/// Makes the elements of one response, piece by piece, with whom a decision turns to.
package struct ElementReader<Element: Sendable>: Sendable {
    /// How the elements come about.
    private enum Way: Sendable {
        /// They are found as the bytes come, by an entry that yields them or, without one, by a tail.
        case parser(any ElementParser<Element>, by: BoundSerializer?)
        /// They are made of the whole body, once it is there.
        case body(BodyBuffer)
        case finished
    }

    private let decision: Decision
    private var way: Way
    /// Those that were passed over, once the parser is gone.
    private var skipped = 0
    /// How large one element may be, or the body that it is made of.
    private var limit: BodyLimit
    /// Where whoever is given the elements is; nil where their format knows no such place, or before they are taken up.
    package private(set) var position: StreamPosition?

    /// - Parameter request: the request's own cap, in bytes, on one element.
    /// - Throws: where nobody can make the elements.
    package init(_ decision: Decision, cappedBy request: Int?) throws(LookupFailure) {
        self.decision = decision
        limit = decision.limit(cappedBy: request)
        guard decision.outcome != .empty else {
            way = .finished
            return
        }
        var attempts: [Attempt] = []
        for candidate in decision.planned {
            let limit = decision.limit(of: candidate).capped(byRequest: request)
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

    /// Whether there are no more elements, whatever else comes.
    package var isFinished: Bool {
        switch way {
        case .parser(let parser, _): parser.isFinished
        case .body: false
        case .finished: true
        }
    }

    /// How many elements an option of the entry has had passed over so far.
    package var skippedElements: Int {
        if case .parser(let parser, _) = way { parser.skippedElements } else { skipped }
    }

    /// Where the elements can be asked for again, should the body end here; nil where their format knows no such place.
    package var place: StreamPlace? {
        guard case .parser(let parser, _) = way, let parser = parser as? any ResumableElementParser<Element> else {
            return nil
        }
        return StreamPlace(lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
    }

    /// Takes up the elements where they broke off in another body, or at their start; before the first byte.
    /// - Parameter position: that of the other body; nil where this is the first.
    /// - Returns: false where their format knows no such place.
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

    /// Takes the next bytes of the body.
    /// - Parameter elements: gets those that end in the bytes, also where the bytes behind them are wrong.
    package mutating func read(_ bytes: [UInt8], into elements: inout [Element]) throws(LookupFailure) {
        switch way {
        case .parser(var parser, let candidate):
            // Moved out and in again, so that what the parser holds is never copied.
            way = .finished
            do {
                try parser.parse(bytes.span) { elements.append($0) }
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
            // No bytes, no elements.
            guard buffer.count > 0 else { return try decision.checkEmpty(.empty, []) }
            let body = buffer.finish()
            let made: any Sendable =
                decision.wanted.kind == .anyElements
                ? [try decision.serialize(body).value] : try decision.serializeWanted(body).value
            guard let made = made as? [Element] else { throw LookupFailure(.noEntryProduces, decision, []) }
            elements = made
        case .finished: return
        }
    }

    private func failure(_ error: any Error, by candidate: BoundSerializer?) -> LookupFailure {
        let error = (error as? ElementLimitFailure)?.named(limit) ?? error
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

    /// What gives the elements where no entry is asked, or none makes them: the lines of a text, the pieces of the body.
    private static func tail(_ head: ResponseHead, _ limit: Int) -> (any ElementParser<Element>)? {
        let lines = LineParser(head.contentType, maximumElementBytes: limit)
        if Element.self == (any Sendable).self {
            return Pieces { Data($0) as any Sendable } as? any ElementParser<Element>
        }
        let tails: [any ElementParser] = [
            lines, Pieces { Data($0) }, Pieces { [UInt8]($0) }, Pieces { ResponseBody($0) },
        ]
        return tails.lazy.compactMap { $0 as? any ElementParser<Element> }.first
    }
}

extension Decision {
    /// Why nobody makes a value, whatever the body is; nil where somebody may.
    package var failureAtHead: LookupFailure? {
        guard case .failure(let failure) = plan.ending, plan.first == nil else { return nil }
        return LookupFailure(failure, self, [])
    }
}

extension Decision {
    /// What a candidate finds the elements of a type with; nil where it makes one value of the whole body.
    ///
    /// - Parameter maximumElementBytes: how many bytes of the body one element may take.
    func elementParser<Element: Sendable>(
        of type: Element.Type, by candidate: BoundSerializer, maximumElementBytes: Int
    ) throws -> (any ElementParser<Element>)? {
        if wanted.kind == .anyElements {
            return try candidate.elementParser(head, maximumElementBytes: maximumElementBytes)
                as? any ElementParser<Element>
        }
        if let parser = try candidate.elementParser(of: type, head, maximumElementBytes: maximumElementBytes) {
            return parser
        }
        guard candidate.givesParts,
            let parts = try candidate.elementParser(
                of: ResponsePart.self, head, maximumElementBytes: maximumElementBytes)
        else { return nil }
        return PartValueParser(parts: parts, decision: self)
    }

    /// All the elements of a type in a body, one where it is made into one value; nil where the candidate cannot make it.
    func elements<Element: Sendable>(
        of type: Element.Type, by candidate: BoundSerializer, _ body: ResponseBody
    ) throws -> (any Sendable)? {
        if var parser = try elementParser(of: type, by: candidate, maximumElementBytes: .max) {
            return try parser.elements(of: body)
        }
        return try (candidate.value(.type(type), body, head) as? Element).map { [$0] }
    }

    /// The value of a part: by whom the registry turns to about its own media type, as if it had been received alone.
    fileprivate func value<Value: Sendable>(of part: ResponsePart, as type: Value.Type) throws -> Value {
        var fields = part.fields
        fields["Content-Type"] = part.mediaType.description
        let partHead = ResponseHead(
            status: head.status, fields: fields, url: head.url, host: head.host, request: head.request)
        let planner = LookupPlanner(
            registry: registry, section: section, head: partHead, isAcceptable: true, wanted: .type(type),
            override: LookupOverride(excluding: override.excluding), unwrapping: nil)
        return try Decision(planner).serialize(part.body, as: type).value
    }
}

/// Makes a value of each part of a body.
private struct PartValueParser<Element: Sendable>: ElementParser {
    var parts: any ElementParser<ResponsePart>
    let decision: Decision

    var isFinished: Bool { parts.isFinished }
    var skippedElements: Int { parts.skippedElements }

    mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        let decision = decision
        try parts.parse(bytes) { part in try emit(decision.value(of: part, as: Element.self)) }
    }

    mutating func finish(emit: (Element) throws -> Void) throws {
        let decision = decision
        try parts.finish { part in try emit(decision.value(of: part, as: Element.self)) }
    }
}
