public import Dispatch
public import PatchbayManager
public import PatchbayRegistry

/// The verb for code that is not async yet. Like the manager's verbs, it starts its call immediately, and calls
/// `success` or `failure` at the end, on the queue.
extension SessionVerb {
    /// Sends named values in their order: variables, optionals and literals can be mixed.
    @discardableResult
    public func callAsFunction(
        _ target: String, parameters: ParameterPairs, query: QueryItems = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        manager.send(
            SessionRequest(method, target, parameters: parameters, query: query, headers: headers), on: queue,
            group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success,
            failure: failure)
    }

    /// Sends named values in their order: variables, optionals and literals can be mixed.
    @discardableResult
    public func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: ParameterPairs, query: QueryItems = [],
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        manager.send(
            SessionRequest(method, target, parameters: parameters, query: query, headers: headers), as: type,
            on: queue, group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends the encoded value; nil sends no parameters.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction(
        _ target: String, parameters: (some Encodable)?, query: QueryItems = [], headers: HeaderFields = [:],
        on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        manager.send(
            SessionRequest(method, target, encoding: parameters, query: query, headers: headers), on: queue,
            group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success,
            failure: failure)
    }

    /// Sends the encoded value; nil sends no parameters.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: (some Encodable)?, query: QueryItems = [],
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        manager.send(
            SessionRequest(method, target, encoding: parameters, query: query, headers: headers), as: type,
            on: queue, group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends a form of named parts as the body; the parameters become parts before the parts of the form.
    @discardableResult
    public func callAsFunction(
        _ target: String, multipart form: MultipartFormData, parameters: Parameters? = nil,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = SessionRequest(method, target, multipart: form, parameters, headers)
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return manager.uploadTask(request).start(on: queue, group, success, failure)
    }

    /// Sends a form of named parts as the body; the parameters become parts before the parts of the form.
    @discardableResult
    public func callAsFunction<Value: Sendable>(
        _ target: String, multipart form: MultipartFormData, parameters: Parameters? = nil, as type: Value.Type,
        headers: HeaderFields = [:], on queue: DispatchQueue = .main, group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        var request = SessionRequest(method, target, multipart: form, parameters, headers)
        request.tell(on: queue, upload: uploadProgress, download: downloadProgress)
        return manager.uploadTask(request, as: type).start(on: queue, group, success, failure)
    }
}
