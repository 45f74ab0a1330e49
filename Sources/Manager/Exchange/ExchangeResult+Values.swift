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
        var body = ResponseBody.empty
        // Before it has its name, and so by no name that could be another file's by now.
        let url = try save { file throws(FileFailure) in body = try file.contents() }
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

    private func save(
        _ read: (PartialFile) throws(FileFailure) -> Void = { _ in }
    ) throws(SessionError) -> URL {
        guard let file else {
            // The registry refuses the response, and says why.
            _ = try serialized()
            throw SessionError(FileFailure(name: "the download", .other("there is no file"))).with(decision.head)
        }
        do {
            try read(file)
            try file.finish()
        } catch {
            throw SessionError(error).with(decision.head)
        }
        return file.url
    }
}
