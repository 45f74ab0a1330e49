public import Foundation

/// An object and an error, either or both of which may be there: what a serializer of AFNetworking answers with.
public struct LegacyPair<Object: Sendable>: Sendable {
    public let object: Object?
    public let error: NSError?

    public init(object: Object?, error: NSError?) {
        self.object = object
        self.error = error
    }
}
