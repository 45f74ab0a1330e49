import PatchbayJSON

/// Why one element of a body cannot be read, and which one that is.
public struct ElementFailure: Error, Sendable {
    /// What is counted.
    public enum Unit: String, Sendable, Hashable {
        case line, event, element, text
    }

    /// What is counted in this format.
    public let unit: Unit
    /// Which one it is, counted from 1.
    public let number: Int
    /// What was thrown when it was read, an error of the format or a `DecodingError`; nil where the element is not there, or is not
    /// all there. The line and the column of a `JSON.ParseFailure` are those in the element.
    public let cause: (any Error)?
    private let reason: String

    /// For a parser of your own: the element of that number, counted from 1, and what was thrown for it.
    public init(_ unit: Unit, _ number: Int, _ cause: any Error) {
        self.unit = unit
        self.number = number
        self.cause = cause
        if unit == .line, let failure = cause as? JSON.ParseFailure, failure.line == 1 {
            reason = ", column \(failure.column): \(failure.message)"
        } else {
            reason = ": \(FailureReason(cause))"
        }
    }

    /// - Parameter reason: one clause, without anything out of the body.
    public init(_ unit: Unit, _ number: Int, reason: String) {
        self.unit = unit
        self.number = number
        cause = nil
        self.reason = ": \(reason)"
    }
}

extension ElementFailure: CustomStringConvertible, CustomReflectable {
    /// The place and the reason, as in `line 3, column 7: expected a colon after a key`.
    public var description: String { "\(unit.rawValue) \(number)\(reason)" }
    public var customMirror: Mirror { Mirror(described: self) }
}
