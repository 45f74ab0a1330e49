/// Why parameters have no form in the format that was asked for; the reason names no value.
public struct ParametersFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in plain words; it shows no value.
    public let reason: String
    public var description: String { reason }

    /// For a request serializer of your own: the reason must not show values either.
    public init(_ reason: String) { self.reason = reason }
}
