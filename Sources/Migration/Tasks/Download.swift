import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

/// A finished file and the value that was made of it.
public struct Download<Value: Sendable>: Sendable {
    /// Where the file lies.
    public let file: URL
    /// What was made of the bytes in it.
    public let value: Value

    init(_ saved: SavedValue<Value>) { (file, value) = (saved.file, saved.value) }

    /// The value that a download is to have in a test of code that is given one.
    public init(file: URL, value: Value) {
        self.file = file
        self.value = value
    }
}

extension Download: Equatable where Value: Equatable {}
extension Download: Hashable where Value: Hashable {}

extension Download: CustomStringConvertible, CustomReflectable {
    /// The name of the file and what kind of value was made of it: `dump.json, JSON`.
    public var description: String { "\(file.lastPathComponent), \(type(of: value as Any))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
