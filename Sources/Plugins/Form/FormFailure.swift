/// Why a body was not accepted as a form.
public struct FormFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many fields a form may have.
    public let maximumFields: Int

    public var description: String { "the form was refused: it has more than \(maximumFields) fields" }
}
