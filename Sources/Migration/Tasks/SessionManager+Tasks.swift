public import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

extension SessionManager {
    /// The tasks that carry a value in memory and have not ended, oldest first.
    public var dataTasks: [SessionTask] { tasks.filter { $0.kind == .data } }

    /// The tasks that send a file or a stream and have not ended, oldest first.
    public var uploadTasks: [SessionTask] { tasks.filter { $0.kind == .upload } }

    /// The tasks that fill a file and have not ended, oldest first.
    public var downloadTasks: [SessionTask] { tasks.filter { $0.kind == .download } }

    /// A call that starts when its task is resumed; it keeps the registry of now. Without `as:` the registry decides what the value is.
    ///
    /// It is among `tasks` and keeps its manager from now on, until it has ended: one that is never to run has to be cancelled.
    public func task<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> DataTask<Value> {
        DataTask(hold(.data, request, producing: .type(type)) { $0.typed() })
    }

    /// An upload that starts when its task is resumed; like `task`, but for the total timeout.
    public func uploadTask<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> DataTask<Value> {
        DataTask(hold(.upload, request, producing: .type(type)) { $0.typed() })
    }

    /// A download that starts when its task is resumed; else as `download(_:to:)`.
    public func downloadTask(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) -> DataTask<URL> {
        DataTask(hold(.download, request, producing: .anything, to: destination) { $0.typed() })
    }

    /// A download that starts when its task is resumed, and is serialized when it is finished.
    public func downloadTask<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        DataTask(
            hold(.download, request, producing: .type(type), to: destination, isSerialized: true) {
                $0.typed().map(Download.init)
            })
    }

    /// Fetches a file and serializes it when it is finished, within the limits of its entry. A file whose serializer fails stays, unless it
    /// is a temporary one.
    public nonisolated(nonsending) func download<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) async throws(SessionError) -> Reply<Download<Value>> {
        try await savedValue(of: request, to: destination, as: type).map(Download.init)
    }
}
