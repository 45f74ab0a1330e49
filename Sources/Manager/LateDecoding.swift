import PatchbayRegistry

/// A typed look-up over bytes that were kept: what `reply.decode(as:)` and `error.decode(as:)` share.
struct LateDecoding {
    private let decision: Decision
    private let body: ResponseBody

    /// - Parameter decision: that of the call; its registry and its head are asked again, for another type.
    init(_ decision: Decision, _ body: ResponseBody) {
        self.decision = decision
        self.body = body
    }

    func value<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Value {
        let override = LookupOverride(using: nil, excluding: decision.override.excluding, acceptableStatus: .any)
        let typed = decision.registry.decision(for: decision.head, producing: .type(type), override: override)
        do {
            return try typed.serialize(body, as: type).value
        } catch {
            throw SessionError(error, typed, body)
        }
    }

    func value<Output: Sendable>(with serializer: some ResponseSerializer<Output>) throws(SessionError) -> Output {
        let given = decision.serialized(by: serializer)
        do {
            return try given.serialize(body, as: Output.self).value
        } catch {
            throw SessionError(error, given, body)
        }
    }
}
