public import PatchbayJSON
public import PatchbayPlatform

/// A type with a value that stands for "no bytes were received", which a typed call gives for an empty body.
public protocol EmptyRepresentable {
    /// The value that stands for no bytes.
    static var emptyValue: Self { get }
}

/// The type to ask for when a call is expected to answer with no body.
public struct EmptyValue: Sendable, Hashable, Decodable, EmptyRepresentable {
    /// The only one.
    public static let emptyValue = EmptyValue()
    /// The only one.
    public init() {}
}

extension EmptyValue: CustomStringConvertible {
    public var description: String { "no bytes" }
}

extension Data: EmptyRepresentable {
    /// No bytes.
    public static var emptyValue: Data { Data() }
}

extension String: EmptyRepresentable {
    /// No characters.
    public static var emptyValue: String { "" }
}

extension Array: EmptyRepresentable where Element == UInt8 {
    /// No bytes.
    public static var emptyValue: [UInt8] { [] }
}

extension ResponseBody: EmptyRepresentable {
    /// No bytes.
    public static var emptyValue: ResponseBody { .empty }
}

extension JSON: EmptyRepresentable {
    /// Null.
    public static var emptyValue: JSON { .null }
}

extension Optional: EmptyRepresentable {
    /// Nil.
    public static var emptyValue: Wrapped? { nil }
}
