public import Dispatch
public import PatchbayRegistry

/// The verbs for code that is not async yet: each starts its call at once, returns its task, and calls `success` or `failure`,
/// one of them, once, on the queue.
///
/// A request that cannot be sent fails in the same way, never before the function has returned. The error carries the decoded
/// body. Without `as:` the registry decides what the value is. Progress comes on the same queue, the last of it before the end.
extension SessionManager {
    @discardableResult
    public func get<Value: Sendable>(
        _ target: String, as type: Value.Type, query: [(name: String, value: String)] = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("GET", target, query: query, headers: headers)
        return send(
            request, as: type, on: queue, group: group, downloadProgress: downloadProgress, success: success,
            failure: failure)
    }

    @discardableResult
    public func get(
        _ target: String, query: [(name: String, value: String)] = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("GET", target, query: query, headers: headers)
        return send(
            request, on: queue, group: group, downloadProgress: downloadProgress, success: success,
            failure: failure)
    }

    /// The reply has no body; its head is the answer.
    @discardableResult
    public func head(
        _ target: String, query: [(name: String, value: String)] = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("HEAD", target, query: query, headers: headers)
        return send(request, on: queue, group: group, success: success, failure: failure)
    }

    @discardableResult
    public func post(
        _ target: String, _ content: RequestContent? = nil, headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("POST", target, content: content, headers: headers)
        return send(
            request, on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    @discardableResult
    public func put(
        _ target: String, _ content: RequestContent? = nil, headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("PUT", target, content: content, headers: headers)
        return send(
            request, on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    @discardableResult
    public func patch(
        _ target: String, _ content: RequestContent? = nil, headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("PATCH", target, content: content, headers: headers)
        return send(
            request, on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    @discardableResult
    public func delete(
        _ target: String, query: [(name: String, value: String)] = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = HTTPRequest("DELETE", target, query: query, headers: headers)
        return send(request, on: queue, group: group, success: success, failure: failure)
    }

    /// Any request; what the verbs above do not cover.
    @discardableResult
    public func send(
        _ request: HTTPRequest, on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = request
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return task(request).start(on: queue, group, success, failure)
    }

    /// Any request, its value of the given type.
    @discardableResult
    public func send<Value: Sendable>(
        _ request: HTTPRequest, as type: Value.Type, on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = request
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return task(request, as: type).start(on: queue, group, success, failure)
    }
}
