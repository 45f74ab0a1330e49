public import PatchbayRegistry

/// The type to ask for when a call is expected to answer with no body, as Alamofire has it. `Void.self` asks for nothing at all.
public struct EmptyValue: Sendable, Hashable, Decodable, EmptyRepresentable {
    /// The only one.
    public static let emptyValue = EmptyValue()
    /// The only one.
    public init() {}
}

extension EmptyValue: CustomStringConvertible {
    public var description: String { "no bytes" }
}
