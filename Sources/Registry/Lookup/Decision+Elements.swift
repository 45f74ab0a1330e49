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
