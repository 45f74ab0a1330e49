public import PatchbayRegistry

/// The type for calls whose response is expected to have no body, as in Alamofire. With `Void.self`, the body is not
/// decoded.
public struct EmptyValue: Sendable, Hashable, Decodable, EmptyRepresentable {
    /// The only value.
    public static let emptyValue = EmptyValue()
    /// Makes the only value.
    public init() {}
}

extension EmptyValue: CustomStringConvertible {
    public var description: String { "no bytes" }
}
