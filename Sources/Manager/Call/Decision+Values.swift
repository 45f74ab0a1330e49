import PatchbayPlatform
import PatchbayRegistry

/// The values that a decision makes, and its failures as errors of a session.
extension Decision {
    /// The value that the call wanted.
    func value(of body: ResponseBody) throws(SessionError) -> SerializationResult<any Sendable> {
        try made(of: body) { () throws(LookupFailure) in try serializeWanted(body) }
    }

    /// The value that the call wanted, beside the file that it was made of.
    func download(_ file: URL, _ body: ResponseBody) throws(SessionError) -> SerializationResult<any Sendable> {
        func typed<Value: Sendable>(_ type: Value.Type) throws(LookupFailure) -> SerializationResult<any Sendable> {
            let made = try serialize(body, as: type)
            return SerializationResult(
                SerializationResult(
                    outcome: made.outcome, value: Download(file: file, value: made.value), entry: made.entry,
                    attempts: made.attempts, unwrapped: made.unwrapped))
        }
        guard let type = wanted.type else { return try value(of: body) }
        return try made(of: body) { () throws(LookupFailure) in try typed(type) }
    }

    /// A value of another type, of bytes that were kept, by the registry and the head of the call.
    func lateValue<Value: Sendable>(of body: ResponseBody, as type: Value.Type) throws(SessionError) -> Value {
        let override = LookupOverride(using: nil, excluding: override.excluding, acceptableStatus: .any)
        let typed = registry.decision(for: head, producing: .type(type), override: override)
        return try typed.made(of: body) { () throws(LookupFailure) in try typed.serialize(body, as: type) }.value
    }

    /// The same by a serializer of the caller's own.
    func lateValue<Output: Sendable>(
        of body: ResponseBody, with serializer: some ResponseSerializer<Output>
    ) throws(SessionError) -> Output {
        let given = serialized(by: serializer)
        return try given.made(of: body) { () throws(LookupFailure) in try given.serialize(body, as: Output.self) }.value
    }

    /// What is made of the body, or the failure as an error of the session.
    private func made<Value: Sendable>(
        of body: ResponseBody, _ make: () throws(LookupFailure) -> SerializationResult<Value>
    ) throws(SessionError) -> SerializationResult<Value> {
        do throws(LookupFailure) {
            return try make()
        } catch {
            throw SessionError(error, self, body)
        }
    }
}
