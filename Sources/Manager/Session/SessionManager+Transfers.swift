public import PatchbayPlatform
public import PatchbayRegistry

/// Responses that go into files. The registry decides whether a response is accepted, and what becomes of an error's body; a
/// status that is not acceptable leaves no file. There is no limit on the size and no total timeout, unless the request sets one.
extension SessionManager {
    /// Carries out the request and puts the body of its response into a file.
    ///
    /// - Throws: `SessionError`; code `file` where the file cannot be written. Then, and after any other failure, nothing is at
    ///   the destination that was not there before, and the `.part` file is gone, or kept for later where the destination is
    ///   `resumable()`.
    @discardableResult
    public nonisolated(nonsending) func download(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        try await start(.download, request, into: file(to: destination)).reply().typed()
    }

    /// Fetches what the target names into a file.
    /// - Throws: `SessionError`, as for a request.
    @discardableResult
    public nonisolated(nonsending) func download(
        _ target: String, query: QueryItems = [], headers: HeaderFields = [:],
        to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        try await download(SessionRequest(target, query: query, headers: headers), to: destination)
    }

    /// The same, and serializes the finished file.
    package nonisolated(nonsending) func savedValue<Value: Sendable>(
        of request: SessionRequest, to destination: DownloadDestination, as type: Value.Type
    ) async throws(SessionError) -> Reply<SavedValue<Value>> {
        try await start(.download, request, producing: .type(type), into: file(to: destination, isSerialized: true))
            .reply().typed()
    }

    func file(to destination: DownloadDestination, isSerialized: Bool = false) -> FileSink {
        FileSink(
            destination, isSerialized: isSerialized, calls: configuration.fileCalls, on: io,
            limit: configuration.fileQueueLimit, patience: configuration.filePatience)
    }
}

package struct SavedValue<Value: Sendable>: Sendable {
    package let file: URL
    package let value: Value
}
