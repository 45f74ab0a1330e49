/// What an element means that cannot be read, among others that can.
public enum BadElements: String, Sendable, Hashable, CaseIterable {
    /// The body is refused there.
    case error
    /// The element is passed over and counted: `ElementParser.skippedElements`.
    case skip
}

extension BadElements: CustomStringConvertible {
    public var description: String { rawValue }
}
