package import PatchbayManager
package import PatchbayPlatform
import PatchbayRegistry

/// A call that waits until it is begun, and its reply.
package struct HeldCall<Value: Sendable>: Sendable {
    package let task: SessionTask
    private let call: Task<Reply<Value>, any Error>

    init(_ held: (task: SessionTask, call: Task<Reply<Value>, any Error>)) { (task, call) = held }

    package nonisolated(nonsending) var reply: Reply<Value> {
        get async throws(SessionError) {
            switch await call.result {
            case .success(let reply): return reply
            // The task of a call throws nothing else.
            case .failure(let error):
                throw error as? SessionError ?? SessionError(.cancelled, reason: "\(error)", cause: error)
            }
        }
    }

    @discardableResult
    package func begin() -> HeldCall {
        task.begin()
        return self
    }

    package func cancel() { task.cancel() }
}

/// The value that was made of the file of a download, and the file.
package struct SavedValue<Value: Sendable>: Sendable {
    package let file: URL
    package let value: Value

    static func reply(_ reply: Reply<Value>) -> Reply<SavedValue> {
        reply.map { value in
            guard let file = reply.file else { preconditionFailure("a download has no file") }
            return SavedValue(file: file, value: value)
        }
    }
}

extension SessionManager {
    package func held<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> HeldCall<Value> {
        HeldCall(hold(.data, request, producing: .type(type)) { $0.typed() })
    }

    package func heldUpload<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> HeldCall<Value> {
        HeldCall(hold(.upload, request, producing: .type(type)) { $0.typed() })
    }

    package func heldDownload(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) -> HeldCall<URL> {
        HeldCall(hold(.download, request, producing: .anything, to: destination) { $0.typed() })
    }

    package func heldDownload<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) -> HeldCall<SavedValue<Value>> {
        HeldCall(
            hold(.download, request, producing: .type(type), to: destination, isSerialized: true) {
                SavedValue.reply($0.typed())
            })
    }

    package nonisolated(nonsending) func savedValue<Value: Sendable>(
        of request: SessionRequest, to destination: DownloadDestination, as type: Value.Type
    ) async throws(SessionError) -> Reply<SavedValue<Value>> {
        SavedValue.reply(try await saved(request, to: destination, as: type))
    }
}
