// The verbs with `success:` and `failure:` on a queue, as in AFNetworking.

public import Dispatch
public import PatchbayManager
public import PatchbayRegistry

/// The verbs for code that is not async yet. Each verb starts its call immediately, returns its task, and calls either
/// `success` or `failure` exactly one time, on the queue.
///
/// If the request cannot be sent, `failure` is called, too, but never before the function has returned. The error
/// carries the decoded body. Without `as:` the registry decides the type of the value. Progress is reported on the same
/// queue, for the last time before `success` or `failure` is called.
///
/// The query is the part after `?` in the target, as it is written, and then `query`: names and values that are
/// percent-encoded (a space is `%20`). Parameters are added to the query or become the body, as with the async verbs.
/// Parameters that are not a literal, and forms of named parts, are for `SessionVerb`, which
/// `manager.post("x", parameters: …)` finds by itself.
extension SessionManager {
    /// Fetches the target resource; the value is of the given type.
    /// The query is the target's own, then `query`, percent-encoded, then the `parameters`.
    @discardableResult
    public func get<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("GET", target, parameters: parameters, query: query, headers: headers), as: type, on: queue,
            group: group, downloadProgress: downloadProgress, success: success, failure: failure)
    }

    /// Fetches the target resource.
    /// The query is the target's own, then `query`, percent-encoded, then the `parameters`.
    @discardableResult
    public func get(
        _ target: String, parameters: Parameters? = nil, query: QueryItems = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("GET", target, parameters: parameters, query: query, headers: headers), on: queue,
            group: group, downloadProgress: downloadProgress, success: success, failure: failure)
    }

    /// Requests the head of the target resource. The reply has no body, only a head.
    /// The query is the target's own, then `query`, percent-encoded, then the `parameters`.
    @discardableResult
    public func head(
        _ target: String, parameters: Parameters? = nil, query: QueryItems = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("HEAD", target, parameters: parameters, query: query, headers: headers), on: queue,
            group: group, success: success, failure: failure)
    }

    /// Sends content to the target resource; the value is of the given type.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func post<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("POST", target, content: content, parameters: parameters, headers: headers), as: type,
            on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Sends content to the target resource.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func post(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("POST", target, content: content, parameters: parameters, headers: headers), on: queue,
            group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Puts the content at the target resource; the value is of the given type.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func put<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("PUT", target, content: content, parameters: parameters, headers: headers), as: type,
            on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Puts the content at the target resource.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func put(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("PUT", target, content: content, parameters: parameters, headers: headers), on: queue,
            group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Changes the target resource with the content; the value is of the given type.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func patch<Value: Sendable>(
        _ target: String, _ content: RequestContent? = nil, as type: Value.Type, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("PATCH", target, content: content, parameters: parameters, headers: headers), as: type,
            on: queue, group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Changes the target resource with the content.
    /// The `parameters` become the body if there is no content of your own.
    @discardableResult
    public func patch(
        _ target: String, _ content: RequestContent? = nil, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("PATCH", target, content: content, parameters: parameters, headers: headers), on: queue,
            group: group, uploadProgress: uploadProgress, success: success, failure: failure)
    }

    /// Deletes the target resource; the value is of the given type.
    /// The query is the target's own, then `query`, percent-encoded, then the `parameters`.
    @discardableResult
    public func delete<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: Parameters? = nil, query: QueryItems = [],
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers), as: type,
            on: queue, group: group, success: success, failure: failure)
    }

    /// Deletes the target resource.
    /// The query is the target's own, then `query`, percent-encoded, then the `parameters`.
    @discardableResult
    public func delete(
        _ target: String, parameters: Parameters? = nil, query: QueryItems = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        send(
            SessionRequest("DELETE", target, parameters: parameters, query: query, headers: headers), on: queue,
            group: group, success: success, failure: failure)
    }

    /// Sends any request; for requests that the verbs above do not cover.
    @discardableResult
    public func send(
        _ request: SessionRequest, on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = request
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return task(request).start(on: queue, group, success, failure)
    }

    /// Sends any request; the value is of the given type.
    @discardableResult
    public func send<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type, on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = request
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return task(request, as: type).start(on: queue, group, success, failure)
    }
}
