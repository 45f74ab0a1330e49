public import Foundation
public import PatchbayManager
import PatchbayPlatform
import PatchbayRegistry

/// The result of an AFNetworking serializer: an object and an error. Either can be nil.
public struct LegacyPair<Object: Sendable>: Sendable {
    /// The object that was made of the body; nil if no object was made.
    public let object: Object?
    /// The reason that the response failed validation or serialization; nil if it did not fail. There can be both an
    /// error and an object.
    public let error: NSError?

    /// An object, an error, or both.
    public init(object: Object?, error: NSError?) {
        self.object = object
        self.error = error
    }
}

extension LegacyPair: CustomStringConvertible, CustomReflectable {
    /// The kind of the object and the code of the error: `JSON, error -1011`.
    public var description: String {
        let object = object.map { "\(type(of: $0 as Any))" } ?? "no object"
        return object + (error.map { ", error \($0.code)" } ?? ", no error")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension SessionManager {
    /// Sends the request and returns the result as AFNetworking's completion handlers get it: object, error, or both.
    ///
    /// The registry is used only for the policy's limit of the body; the serializer checks the status and the media
    /// type. A call that ends without a response has a `SessionError` as its error.
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
