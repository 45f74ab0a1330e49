import PatchbayPlatform

extension Decision {
    private enum Run {
        /// The value that a serializer of `plan` made; nil if this serializer cannot make the value that `wanted`
        /// describes.
        case value((any Sendable)?, entry: String?)
        /// An entry unwrapped the body. The `Decision` is for the inner body.
        case unwrapped(Decision, ResponseBody)
        /// The body is empty, and the next serializer of `plan` does not read empty bodies.
        case empty
        /// A serializer of `plan` failed, and its entry has `"onFailure": "raw"`.
        case raw
        case exhausted
    }

    /// Makes the value of a dynamic call.
    ///
    /// - Throws: `LookupFailure`, with the code `cancelled` if a serializer threw `CancellationError`, or stopped because
    ///   the call is over.
    package func serialize(_ body: ResponseBody) throws(LookupFailure) -> SerializationResult<any Sendable> {
        var attempts = unwrapping?.attempts ?? []
        func raw() -> SerializationResult<any Sendable> {
            SerializationResult(outcome: .raw, value: body, entry: nil, attempts: attempts)
        }
        let run = try run(over: body, &attempts) { serializer in try serializer.value(body, head) }
        switch run {
        case .value(let value, let entry):
            return SerializationResult(outcome: .entry, value: value ?? body, entry: entry, attempts: attempts)
        case .unwrapped(let inner, let body):
            var serialized = try inner.serialize(body)
            serialized.unwrapped = serialized.unwrapped ?? inner
            return serialized
        case .empty: return try empty(body, attempts)
        case .raw: return raw()
        case .exhausted:
            if body.isEmpty && attempts.count == unwrapping?.attempts.count ?? 0 && !plan.isUnusable {
                return try empty(body, attempts)
            }
            guard case .failure(let failure) = plan.ending else { return raw() }
            throw LookupFailure(failure, self, attempts, body: body)
        }
    }

    /// Makes the value of a typed call, immediately or later from the kept bytes.
    ///
    /// - Throws: `LookupFailure`, with the code `cancelled` if a serializer threw `CancellationError`.
    package func serialize<Value: Sendable>(
        _ body: ResponseBody, as type: Value.Type
    ) throws(LookupFailure) -> SerializationResult<Value> {
        guard wanted.isSame(as: type) else {
            return try Decision(planner.producing(.type(type))).serializeWanted(body, as: type)
        }
        return try serializeWanted(body, as: type)
    }

    private func serializeWanted<Value: Sendable>(
        _ body: ResponseBody, as type: Value.Type
    ) throws(LookupFailure) -> SerializationResult<Value> {
        let made = try serializeWanted(body)
        guard let value = converted(made.value, to: type) else {
            throw LookupFailure(.noEntryProduces, self, made.attempts, body: body)
        }
        return SerializationResult(
            outcome: made.outcome, value: value, entry: made.entry, attempts: made.attempts, unwrapped: made.unwrapped)
    }

    /// Makes the value that `wanted` describes, as `any Sendable`. The function is not generic, so that the runtime
    /// need not instantiate generic types for each value. If `wanted` describes elements, the value is the array of all
    /// elements.
    package func serializeWanted(_ body: ResponseBody) throws(LookupFailure) -> SerializationResult<any Sendable> {
        var attempts = unwrapping?.attempts ?? []
        if isNil, body.isEmpty, !plan.isUnusable, let none = wanted.none {
            if !wanted.isNothing { try checkEmpty(body, attempts) }
            return SerializationResult(outcome: .empty, value: none, entry: nil, attempts: attempts)
        }
        guard wanted.kind != .anything else {
            let made = try serialize(body)
            guard wanted.optionalType != nil else { return made }
            return SerializationResult(
                outcome: made.outcome, value: wanted.orNil(made.value), entry: made.entry, attempts: made.attempts,
                unwrapped: made.unwrapped)
        }
        if wanted.kind == .bytes || wanted.kind == .pieces {
            if body.isEmpty, !wanted.isNothing { try checkEmpty(body, attempts) }
            return SerializationResult(
                outcome: body.isEmpty ? .empty : .raw, value: bytes(body), entry: nil, attempts: attempts)
        }
        let run = try run(over: body, &attempts) { serializer in
            if !wanted.isElements, let value = try serializer.value(wanted, body, head) { return value }
            let element: (any Sendable.Type)? =
                wanted.isElements ? wanted.optionalType ?? wanted.type : wanted.listElement
            return try element.flatMap { try elements(of: $0, by: serializer, body) }
        }
        if case .value(let value?, let entry) = run {
            return SerializationResult(outcome: .entry, value: value, entry: entry, attempts: attempts)
        }
        if case .unwrapped(let inner, let body) = run {
            var serialized = try inner.serializeWanted(body)
            serialized.unwrapped = serialized.unwrapped ?? inner
            return serialized
        }
        if let first = attempts.first {
            throw failure(of: first, attempts, body)
        }
        if body.isEmpty, !plan.isUnusable {
            return SerializationResult(outcome: .empty, value: try emptyValue(body), entry: nil, attempts: attempts)
        }
        switch plan.ending {
        case .failure(let failure): throw LookupFailure(failure, self, attempts, body: body)
        case .bytes, .raw, .text:
            if wanted.kind == .lines {
                return SerializationResult(outcome: .raw, value: try lines(body), entry: nil, attempts: attempts)
            }
            let text = try text(body)
            guard isWanted(text) else { throw LookupFailure(.noEntryProduces, self, attempts, body: body) }
            return SerializationResult(outcome: .raw, value: text, entry: nil, attempts: attempts)
        }
    }

    /// The failure of a body that exceeds `bodyLimit`, with one attempt for each serializer of `plan`. No policy
    /// applies.
    package func tooLarge(received: Int) -> LookupFailure {
        let attempts = planned.map { Attempt(entry: $0.name, error: limit(of: $0).exceeded) }
        return LookupFailure(
            .bodyTooLarge, self, attempts, entry: plan.first?.entry, cause: limit.exceeded)
    }

    private func run(
        over body: ResponseBody, _ attempts: inout [Attempt], _ make: (BoundSerializer) throws -> (any Sendable)?
    ) throws(LookupFailure) -> Run {
        for candidate in planned {
            if body.isEmpty && !candidate.acceptsEmptyBody { return .empty }
            do {
                try limit(of: candidate).check(body.count)
                if let unwrapping = candidate.unwrapping {
                    let (inside, mediaType) = try unwrapping.unwrap(body, head)
                    try limitOfBytes.check(inside.count)
                    let reason = (unwrapping as? any BodyDecliningSerializer)?.declineReason(body)
                    let unwrapped = Unwrapping(self, by: candidate, attempts, declined: reason)
                    return .unwrapped(Decision(LookupPlanner(unwrapped, mediaType)), inside)
                }
                return .value(try make(candidate), entry: candidate.entry)
            } catch let error where error is CancellationError || Interruption.isNoticed {
                // No other serializer, and no rule for failures, has a say: the value is no longer needed.
                throw LookupFailure(.cancelled, self, attempts, entry: candidate.entry, cause: CancellationError())
            } catch {
                attempts.append(Attempt(entry: candidate.name, error: error))
                switch candidate.onFailure {
                case .error: throw failure(of: attempts[attempts.count - 1], attempts, body)
                case .raw: return .raw
                case .next: continue
                }
            }
        }
        return .exhausted
    }

    private func failure(of attempt: Attempt, _ attempts: [Attempt], _ body: ResponseBody) -> LookupFailure {
        let code: LookupFailure.Code = attempt.error is BodyLimitFailure ? .bodyTooLarge : .serialization
        let entry = attempt.entry == Attempt.request ? nil : attempt.entry
        return LookupFailure(code, self, attempts, entry: entry, cause: attempt.error, body: body)
    }

    private func text(_ body: ResponseBody) throws(LookupFailure) -> String {
        do throws(TextDecodingFailure) {
            return try TextDecoder.decode(body, head.contentType)
        } catch {
            throw LookupFailure(.undecodableText, self, [], cause: error, body: body)
        }
    }

    /// The bytes as a value of `wanted.type`. If `wanted` describes pieces: an array with the body as its only piece;
    /// empty for an empty body.
    private func bytes(_ body: ResponseBody) -> any Sendable {
        func wanted<Bytes: Sendable>(_ bytes: Bytes) -> any Sendable {
            guard self.wanted.isElements else { return bytes }
            return body.isEmpty ? [Bytes]() : [bytes]
        }
        if self.wanted.isNothing { return () }
        if self.wanted.type == ResponseBody.self { return wanted(body) }
        if self.wanted.type == [UInt8].self { return wanted(body.withUnsafeBytes { Array($0) }) }
        return wanted(body.data)
    }

    private func lines(_ body: ResponseBody) throws(LookupFailure) -> [String] {
        var parser = LineParser(head.contentType, maximumElementBytes: .max)
        do {
            return try parser.elements(of: body, override.listSize ?? ListSize())
        } catch {
            let code: LookupFailure.Code =
                switch error {
                case is CancellationError: .cancelled
                case is TextDecodingFailure: .undecodableText
                default: .serialization
                }
            throw LookupFailure(code, self, [], cause: error, body: body)
        }
    }

    private func isWanted(_ text: String) -> Bool {
        func isText<Value>(_ type: Value.Type) -> Bool { text is Value }
        return wanted.type.map { isText($0) } ?? false
    }

    // MARK: No bytes

    private func empty(
        _ body: ResponseBody, _ attempts: [Attempt]
    ) throws(LookupFailure) -> SerializationResult<any Sendable> {
        try checkEmpty(body, attempts)
        return SerializationResult(outcome: .empty, value: (), entry: nil, attempts: attempts)
    }

    private func emptyValue(_ body: ResponseBody) throws(LookupFailure) -> any Sendable {
        func none<Element: Sendable>(_ element: Element.Type) -> any Sendable { [Element]() }
        try checkEmpty(body, [])
        if wanted.isElements, let type = wanted.optionalType ?? wanted.type { return none(type) }
        func known<Value: Sendable>(_ type: Value.Type) -> (any Sendable)? {
            PatchbayRegistry.emptyValue(of: type).map { $0 as any Sendable }
        }
        guard let type = wanted.optionalType ?? wanted.type, let value = known(type) else {
            throw LookupFailure(.emptyBody, self, [], body: body)
        }
        return value
    }

    func checkEmpty(_ body: ResponseBody, _ attempts: [Attempt]) throws(LookupFailure) {
        guard isEmptyExpected || policy.empty.otherwise == .empty else {
            throw LookupFailure(.emptyBody, self, attempts, body: body)
        }
    }
}
