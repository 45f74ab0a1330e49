/// Why parameters have no form in the format that was asked for; the reason names no value.
public struct ParametersFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }

    public init(_ reason: String) { self.reason = reason }
}
