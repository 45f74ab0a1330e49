public import Dispatch
public import PatchbayManager
public import PatchbayParameters
public import PatchbayRegistry

/// The same for code that is not async yet, in the manner of the manager's verbs: the call starts at once and ends in `success` or in
/// `failure`, on the queue.
extension SessionVerb {
    /// Sends values by name: variables, optionals and literals side by side, in their order.
    @discardableResult
    public func callAsFunction(
        _ target: String, parameters: ParameterPairs,
        query: QueryItems = [], headers: HeaderFields = [:], on queue: DispatchQueue = .main,
        group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = SessionRequest(method, target, parameters: parameters, query: query, headers: headers)
        return manager.send(
            request, on: queue, group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends values by name: variables, optionals and literals side by side, in their order.
    @discardableResult
    public func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: ParameterPairs,
        query: QueryItems = [], headers: HeaderFields = [:], on queue: DispatchQueue = .main,
        group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = SessionRequest(method, target, parameters: parameters, query: query, headers: headers)
        return manager.send(
            request, as: type, on: queue, group: group, uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends what a value encodes; nil is no parameters.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction(
        _ target: String, parameters: (some Encodable)?,
        query: QueryItems = [], headers: HeaderFields = [:], on queue: DispatchQueue = .main,
        group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<any Sendable>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = SessionRequest(method, target, encoding: parameters, query: query, headers: headers)
        return manager.send(
            request, on: queue, group: group, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends what a value encodes; nil is no parameters.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<Value: Sendable>(
        _ target: String, as type: Value.Type, parameters: (some Encodable)?,
        query: QueryItems = [], headers: HeaderFields = [:], on queue: DispatchQueue = .main,
        group: DispatchGroup? = nil,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        success: @escaping @Sendable (Reply<Value>) -> Void, failure: @escaping @Sendable (SessionError) -> Void
    ) -> SessionTask {
        let request = SessionRequest(method, target, encoding: parameters, query: query, headers: headers)
        return manager.send(
            request, as: type, on: queue, group: group, uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            success: success, failure: failure)
    }

    /// Sends a form of named parts as the body; the parameters are parts before those of the form.
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

    /// Sends a form of named parts as the body; the parameters are parts before those of the form.
    @discardableResult
    public func callAsFunction<Value: Sendable>(
        _ target: String, multipart form: MultipartFormData, parameters: Parameters? = nil,
        as type: Value.Type,
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
