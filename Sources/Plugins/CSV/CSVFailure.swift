/// Why a body was not accepted as comma-separated values, from a line on.
public struct CSVFailure: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The body ends inside quotes.
        public static let openQuote = Code(rawValue: "openQuote")
        /// Something follows the quotes of a field that is not the end of it.
        public static let textBehindQuote = Code(rawValue: "textBehindQuote")
        /// The row has another number of fields than the header row.
        public static let fieldCount = Code(rawValue: "fieldCount")
        /// The row has more fields than are taken of any.
        public static let tooManyFields = Code(rawValue: "tooManyFields")
        /// The bytes break the rules of their charset.
        public static let malformedText = Code(rawValue: "malformedText")
        /// The row is no value of the type that was asked for.
        public static let decoding = Code(rawValue: "decoding")
    }

    /// Which kind of failure it is.
    public let code: Code
    /// The line of the body on which the row begins, counted from 1.
    public let line: Int
    /// The reason in plain words, without any of the content.
    public let reason: String
    /// What the type says against the row, where that is the reason: mostly a `DecodingError`.
    public let cause: (any Error)?

    init(_ code: Code, line: Int, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.line = line
        self.reason = reason
        self.cause = cause
    }

    public var description: String { "the CSV was refused at line \(line): \(reason)" }
}

extension CSVFailure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
