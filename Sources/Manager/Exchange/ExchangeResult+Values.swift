import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a complete response can be made into.
extension ExchangeResult {
    /// The value that the registry decides on.
    func serialized() throws(SessionError) -> Serialized<any Sendable> {
        do {
            return try decision.serialize(body)
        } catch {
            throw SessionError(error, decision, body)
        }
    }

    /// A value of the type.
    func serialized<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Serialized<Value> {
        try serialized(body, as: type)
    }

    /// The finished file, under its name.
    func saved() throws(SessionError) -> Serialized<URL> {
        Serialized(outcome: .raw, value: try save(), entry: nil, attempts: [])
    }

    /// The finished file, and the value that is made of it. A file whose serializer fails is finished all the same.
    func saved<Value: Sendable>(as type: Value.Type) throws(SessionError) -> Serialized<Download<Value>> {
        let url = try save()
        let body: ResponseBody
        do {
            body = ResponseBody(try Data(contentsOf: url))
        } catch {
            throw SessionError(FileFailure(name: url.lastPathComponent, .other("it cannot be read again")))
                .with(decision.head)
        }
        let made = try serialized(body, as: type)
        return Serialized(
            outcome: made.outcome, value: Download(file: url, value: made.value), entry: made.entry,
            attempts: made.attempts, unwrapped: made.unwrapped)
    }

    private func serialized<Value: Sendable>(
        _ body: ResponseBody, as type: Value.Type
    ) throws(SessionError) -> Serialized<Value> {
        do {
            return try decision.serialize(body, as: type)
        } catch {
            throw SessionError(error, decision, body)
        }
    }

    private func save() throws(SessionError) -> URL {
        guard let file else {
            // The registry refuses the response, and says why.
            _ = try serialized()
            throw SessionError(FileFailure(name: "the download", .other("there is no file"))).with(decision.head)
        }
        do {
            try file.finish()
        } catch {
            throw SessionError(error).with(decision.head)
        }
        return file.url
    }
}
