public import Foundation
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
