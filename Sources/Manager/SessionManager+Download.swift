public import PatchbayRegistry

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Responses that go into files. The registry decides whether a response is accepted, and what becomes of an error's body; a
/// status that is not acceptable leaves no file. There is no limit on the size and no total timeout, unless the request sets one.
extension SessionManager {
    /// Fetches a file to a folder, or to a name of your own.
    ///
    /// - Parameter url: a folder that is there, or that ends in `/`, for the name that the server suggests; else the file.
    public nonisolated(nonsending) func download(
        _ target: String, to url: URL, headers: HeaderFields = [:]
    ) async throws(SessionError) -> URL {
        try await download(HTTPRequest("GET", target, headers: headers), to: Self.destination(url)).value
    }

    /// Carries out the request and puts the body of its response into a file.
    ///
    /// - Throws: `SessionError`; code `file` where the file cannot be written. Then, and after any other failure, nothing is at
    ///   the destination that was not there before, and the `.part` file is gone.
    public nonisolated(nonsending) func download(
        _ request: HTTPRequest, to destination: DownloadDestination = .temporary
    ) async throws(SessionError) -> Reply<URL> {
        let (task, snapshot) = (makeTask(.download, request), registry)
        task.resume()
        let target = FileTarget(destination: destination, isSerialized: false, calls: configuration.fileCalls)
        return try await run(task, snapshot, producing: .anything, file: target) { result throws(SessionError) in
            try result.saved()
        }
    }

    /// The same, and serializes the finished file, within the limits of its entry.
    public nonisolated(nonsending) func download<Value: Sendable>(
        _ request: HTTPRequest, to destination: DownloadDestination = .temporary, as type: Value.Type
    ) async throws(SessionError) -> Reply<Download<Value>> {
        let (task, snapshot) = (makeTask(.download, request), registry)
        task.resume()
        let target = FileTarget(destination: destination, isSerialized: true, calls: configuration.fileCalls)
        return try await run(task, snapshot, producing: .type(type), file: target) { result throws(SessionError) in
            try result.saved(as: type)
        }
    }

    private static func destination(_ url: URL) -> DownloadDestination {
        var isFolder: Bool { FileManager.default.fileExists(atPath: url.path(percentEncoded: false) + "/") }
        return url.hasDirectoryPath || isFolder ? .folder(url) : .file(url)
    }
}
