public import Foundation
public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// An object and an error, either or both of which may be there: what a serializer of AFNetworking answers with.
public struct LegacyPair<Object: Sendable>: Sendable {
    /// What was made of the body; nil where nothing was.
    public let object: Object?
    /// Why the response is not good; it may stand beside an object.
    public let error: NSError?

    /// An object, an error, or both.
    public init(object: Object?, error: NSError?) {
        self.object = object
        self.error = error
    }
}

extension LegacyPair: CustomStringConvertible, CustomReflectable {
    /// What kind of object there is and the code of the error: `JSON, error -1011`.
    public var description: String {
        let object = object.map { "\(type(of: $0 as Any))" } ?? "no object"
        return object + (error.map { ", error \($0.code)" } ?? ", no error")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension SessionManager {
    /// Sends the request and answers as AFNetworking's completion handlers are answered: object, error, or both.
    ///
    /// The registry is asked for nothing but the policy's limit of the body; the serializer judges status and media type. A call
    /// that ends without a response has a `SessionError` as its error.
    public nonisolated(nonsending) func pair<Object: Sendable>(
        _ request: SessionRequest, _ serializer: LegacySerializer<Object>
    ) async -> LegacyPair<Object> {
        var request = request
        request.acceptableStatus = .any
        let response = await response(request, as: ResponseBody.self)
        if let error = response.error { return LegacyPair(object: nil, error: error as NSError) }
        return serializer.pair(response.head, response.body)
    }
}
