import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

/// A finished file and the value that was made of it.
public struct Download<Value: Sendable>: Sendable {
    /// The URL of the file.
    public let file: URL
    /// The value that was made of the file's bytes.
    public let value: Value

    /// Makes a download without a call, for tests of code that takes one.
    public init(file: URL, value: Value) {
        self.file = file
        self.value = value
    }
}

extension Reply {
    /// The reply of a download that was serialized, with its file.
    var saved: Reply<Download<Value>> {
        map { value in
            guard let file else { preconditionFailure("a download has no file") }
            return Download(file: file, value: value)
        }
    }
}

extension Download: Equatable where Value: Equatable {}
extension Download: Hashable where Value: Hashable {}

extension Download: CustomStringConvertible, CustomReflectable {
    /// The name of the file and the type of the value that was made of it: `dump.json, JSON`.
    public var description: String { "\(file.lastPathComponent), \(type(of: value as Any))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
