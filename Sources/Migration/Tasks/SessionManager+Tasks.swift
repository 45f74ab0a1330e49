public import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

extension SessionManager {
    /// The tasks that make a value from a body in memory and have not ended, oldest first.
    public var dataTasks: [SessionTask] { tasks.filter { $0.kind == .data } }

    /// The tasks that send a file or a stream and have not ended, oldest first.
    public var uploadTasks: [SessionTask] { tasks.filter { $0.kind == .upload } }

    /// The tasks that write a response to a file and have not ended, oldest first.
    public var downloadTasks: [SessionTask] { tasks.filter { $0.kind == .download } }

    /// A call that starts when its task is resumed. It keeps the registry that the manager has now. Without `as:` the
    /// registry decides the type of the value.
    ///
    /// From now on the task is among `tasks` and keeps its manager alive, until the call has ended. Cancel a task that
    /// you do not want to run.
    public func task<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> DataTask<Value> {
        DataTask(request) { hold(.data, $0, producing: .type(type)) { $0.typed() } }
    }

    /// An upload that starts when its task is resumed; like `task`, but without a default total timeout.
    public func uploadTask<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) -> DataTask<Value> {
        DataTask(request) { hold(.upload, $0, producing: .type(type)) { $0.typed() } }
    }

    /// A download that starts when its task is resumed; otherwise like `download(_:to:)`.
    public func downloadTask(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) -> DataTask<URL> {
        DataTask(request) { hold(.download, $0, producing: .anything, to: destination) { $0.typed() } }
    }

    /// A download that starts when its task is resumed, and is serialized when it is finished.
    public func downloadTask<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) -> DataTask<Download<Value>> {
        DataTask(request) {
            hold(.download, $0, producing: .type(type), to: destination, isSerialized: true) {
                $0.typed().saved
            }
        }
    }

    /// Downloads to a file and serializes the finished file, within the limits of its entry. If the serializer fails,
    /// the file stays, unless it is a temporary file.
    public nonisolated(nonsending) func download<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) async throws(SessionError) -> Reply<Download<Value>> {
        try await saved(request, to: destination, as: type).saved
    }
}
