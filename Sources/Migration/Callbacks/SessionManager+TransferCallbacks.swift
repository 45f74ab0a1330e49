public import Dispatch
public import PatchbayManager
public import PatchbayPlatform
public import PatchbayRegistry

/// Uploads and downloads for code that is not async yet. They start, end and report like the verbs with `success` and
/// `failure`.
extension SessionManager {
    /// Sends content: `.file(url)`, `.data(bytes)`, `.stream(chunks)`, `.multipart(form)` or any other.
    @discardableResult
    public func upload(
        _ content: RequestContent, to target: String, method: String = "POST", headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = SessionRequest(target, method: method, content: content, headers: headers)
        request.tell(on: queue, upload: uploadProgress)
        return uploadTask(request).start(on: queue, group, success, failure)
    }

    /// Sends content: `.file(url)`, `.data(bytes)`, `.stream(chunks)`, `.multipart(form)` or any other; the value is of
    /// the given type.
    @discardableResult
    public func upload<Value: Sendable>(
        _ content: RequestContent, to target: String, as type: Value.Type, method: String = "POST",
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = SessionRequest(target, method: method, content: content, headers: headers)
        request.tell(on: queue, upload: uploadProgress)
        return uploadTask(request, as: type).start(on: queue, group, success, failure)
    }

    /// Writes the body of the response to a file.
    @discardableResult
    public func download(
        _ request: SessionRequest, to destination: DownloadDestination = .temporary, on queue: DispatchQueue = .main,
        group: DispatchGroup? = nil, downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<URL>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = request
        request.tell(on: queue, download: downloadProgress)
        return downloadTask(request, to: destination).start(on: queue, group, success, failure)
    }
}
