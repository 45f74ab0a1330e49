public import PatchbayPlatform
public import PatchbayRegistry

/// Responses that go into files. The registry decides whether a response is accepted, and what becomes of an error's body; a
/// status that is not acceptable leaves no file. There is no limit on the size and no total timeout, unless the request sets one.
extension SessionManager {
    /// Fetches a file to a folder, or to a name of your own. What stands behind a `?` in the target is sent as the query, as it is
    /// written.
    ///
    /// - Parameter url: a folder that is there, or that ends in `/`, for the name that the server suggests; else the file.
    public nonisolated(nonsending) func download(
        _ target: some URLReference, to url: URL, headers: HeaderFields = [:]
    ) async throws(SessionError) -> URL {
        try await download(SessionRequest("GET", target, headers: headers), to: DownloadDestination(.either(url))).value
    }

    /// Carries out the request and puts the body of its response into a file.
    ///
    /// - Throws: `SessionError`; code `file` where the file cannot be written. Then, and after any other failure, nothing is at
    ///   the destination that was not there before, and the `.part` file is gone, or kept for later where the destination is
    ///   `resumable()`.
    public nonisolated(nonsending) func download(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        try await start(.download, request, into: file(to: destination)).reply().typed()
    }

    /// The same, and serializes the finished file, within the limits of its entry. A file whose serializer fails stays, unless it is a
    /// temporary one.
    public nonisolated(nonsending) func download<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) async throws(SessionError) -> Reply<Download<Value>> {
        try await start(.download, request, producing: .type(type), into: file(to: destination, isSerialized: true))
            .reply().typed()
    }

    /// Goes on with a download that broke off, and fetches only what is missing where the server still has the same version.
    ///
    /// The request is the one that broke off, made again: with the same URL, and with credentials that are good now. The server is
    /// asked for a range on the condition that nothing has changed (If-Range; RFC 9110, section 13.1.5). It answers with the rest,
    /// which is appended (`Reply.head` has the status 206 then), or with all of it, which is written from the start.
    ///
    /// - Throws: `SessionError`; code `file` where the `.part` file is gone or not what it was, code `resumption` where the
    ///   response is not the rest of it. What was there stays, and `resumption` says how to go on, unless it was not the file.
    public nonisolated(nonsending) func download(
        _ request: SessionRequest, resuming resumption: DownloadResumption
    ) async throws(SessionError) -> Reply<URL> {
        try await start(.download, request, into: file(resuming: resumption)).reply().typed()
    }

    /// The same, and serializes the finished file, all of it, within the limits of its entry.
    public nonisolated(nonsending) func download<Value: Sendable>(
        _ request: SessionRequest, resuming resumption: DownloadResumption, as type: Value.Type
    ) async throws(SessionError) -> Reply<Download<Value>> {
        try await start(
            .download, request, producing: .type(type), into: file(resuming: resumption, isSerialized: true)
        ).reply().typed()
    }

    func file(to destination: DownloadDestination, isSerialized: Bool = false) -> FileSink {
        FileSink(
            destination, isSerialized: isSerialized, calls: configuration.fileCalls, on: io,
            limit: configuration.fileQueueLimit, patience: configuration.filePatience)
    }

    func file(resuming resumption: DownloadResumption, isSerialized: Bool = false) -> FileSink {
        FileSink(
            resuming: resumption, isSerialized: isSerialized, calls: configuration.fileCalls, on: io,
            limit: configuration.fileQueueLimit, patience: configuration.filePatience)
    }

}

/// Requests whose content is the point: files, streams, data, forms. There is no total timeout, unless the request sets one.
extension SessionManager {
    /// Sends content: `.file(url)`, `.data(bytes)`, `.stream { … }`, `.multipart(form)` or any other; the registry decides what the
    /// value is. What stands behind a `?` in the target is sent as the query, as it is written.
    public nonisolated(nonsending) func upload(
        _ content: RequestContent, to target: some URLReference, method: String = "POST", headers: HeaderFields = [:]
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await upload(SessionRequest(method, target, content: content, headers: headers))
    }

    /// The same; the value is of the given type.
    public nonisolated(nonsending) func upload<Value: Sendable>(
        _ content: RequestContent, to target: some URLReference, as type: Value.Type, method: String = "POST",
        headers: HeaderFields = [:]
    ) async throws(SessionError) -> Value {
        try await upload(SessionRequest(method, target, content: content, headers: headers), as: type).value
    }

    /// Sends the request as an upload; the registry decides what the value is.
    public nonisolated(nonsending) func upload(
        _ request: SessionRequest
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await start(.upload, request).reply()
    }

    /// Sends the request as an upload; the value is of the given type.
    public nonisolated(nonsending) func upload<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type
    ) async throws(SessionError) -> Reply<Value> {
        try await start(.upload, request, producing: .type(type)).reply().typed()
    }
}
