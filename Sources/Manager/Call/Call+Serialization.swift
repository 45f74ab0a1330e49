import PatchbayRegistry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What becomes of a response whose body is there: judged, validated, serialized.
extension Call {
    /// A status that is not acceptable always wins, and what became of its body is part of the error; then a body that broke off.
    func judge(
        _ decision: Decision, _ body: ResponseBody, _ failure: SessionError?
    ) throws(SessionError) {
        guard !decision.isAcceptable else {
            if let failure { throw failure }
            return
        }
        if let failure { throw SessionError(unacceptable: decision, body, nil, bodyFailure: failure) }
        let serialized: Serialized<any Sendable>
        do throws(LookupFailure) {
            serialized = try decision.serialize(body)
        } catch {
            throw SessionError(unacceptable: decision, body, nil, bodyFailure: error)
        }
        throw SessionError(unacceptable: decision, body, serialized, bodyFailure: nil)
    }

    func validate(
        _ decision: Decision, _ body: ResponseBody, by validators: [ResponseValidator]
    ) throws(SessionError) {
        for validator in validators {
            do {
                try validator.validate(decision.head, body, file: file?.partURL)
            } catch let error as SessionError {
                throw error
            } catch is CancellationError {
                throw SessionError(Timeouts.End.cancelled).with(decision.head)
            } catch {
                throw SessionError(invalid: decision, body, error)
            }
        }
    }

    /// The value of the body, made by whom the registry decided on; of a download the file, under its name, and what is made of it.
    func serialize(
        _ body: ResponseBody, _ decision: Decision
    ) async throws(SessionError) -> Serialized<any Sendable> {
        let serialized: Serialized<any Sendable>
        do throws(SessionError) {
            try checkCancellation(decision)
            serialized = try await file == nil ? decision.value(of: body) : save(body, decision)
        } catch {
            // A serializer that was cut short by cancellation did not fail.
            try checkCancellation(decision)
            throw error
        }
        // A file that has its name is finished, and stays.
        if file == nil { try checkCancellation(decision) }
        return serialized
    }

    private func checkCancellation(_ decision: Decision) throws(SessionError) {
        if task.isCancelled { throw SessionError(Timeouts.End.cancelled).with(decision.head) }
    }

    private func save(
        _ body: ResponseBody, _ decision: Decision
    ) async throws(SessionError) -> Serialized<any Sendable> {
        guard let file, file.hasBody else {
            // The registry refuses the response, and says why.
            _ = try decision.value(of: body)
            throw SessionError(FileFailure(name: "the download", .other("there is no file"))).with(decision.head)
        }
        let (url, contents): (URL, ResponseBody)
        do throws(FileFailure) {
            // Read before it has its name, and so by no name that could be another file's by now.
            contents = file.isSerialized ? try await file.contents() : .empty
            url = try await file.finish()
        } catch {
            throw SessionError(error).with(decision.head)
        }
        guard file.isSerialized else { return Serialized(outcome: .raw, value: url, entry: nil, attempts: []) }
        return try decision.download(url, contents)
    }
}
