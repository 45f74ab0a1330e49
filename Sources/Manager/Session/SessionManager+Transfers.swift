public import PatchbayPlatform
public import PatchbayRegistry

/// Responses that go into files. The registry decides whether a response is accepted, and which serializer reads the
/// body of an error. A status that is not acceptable leaves no file. There is no size limit and no total timeout,
/// unless the request sets one.
extension SessionManager {
    /// Sends the request and writes the body of its response to a file.
    ///
    /// - Throws: `SessionError`, with code `file` if the file can't be written. After a failure, the destination is
    ///   unchanged, unless a hanging system call replaces the file after the failure. The `.part` file is removed, or
    ///   kept for a resumption if the destination is `resumable()`.
    @discardableResult
    public nonisolated(nonsending) func download(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        try await start(.download, request, into: file(to: destination)).reply().typed()
    }

    /// Fetches the target resource into a file. With `path`, the target is a template, as for `get`.
    /// - Throws: `SessionError`, as for a request.
    @discardableResult
    public nonisolated(nonsending) func download(
        _ target: String, path: [String: any CustomStringConvertible & Sendable]? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        try await download(SessionRequest(target, path: path, query: query, headers: headers), to: destination)
    }

    /// Downloads like `download(_:to:)`, and serializes the finished file, which is `Reply.file`.
    package nonisolated(nonsending) func saved<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination, as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        try await start(.download, request, producing: .type(type), into: file(to: destination, isSerialized: true))
            .reply().typed()
    }

    func file(to destination: DownloadDestination, isSerialized: Bool = false) -> FileBody {
        FileBody(
            destination, isSerialized: isSerialized, calls: configuration.fileCalls, on: io,
            limit: configuration.fileQueueLimit)
    }
}
