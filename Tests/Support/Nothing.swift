public import PatchbayRegistry

/// A type of a user's own with a value for no bytes.
public struct Nothing: Sendable, Hashable, Decodable, EmptyRepresentable {
    public static let emptyValue = Nothing()
    public init() {}
}
