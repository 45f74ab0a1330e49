public import PatchbayPlatform

/// The reason that bytes do not have a format: the error for a serializer of your own, with a sentence that is safe to
/// print.
///
/// Errors of other types are shown by type, and by case if they are enumerations, because their text can quote the
/// body. The `reason` of this error is part of sentences, logs and events, so it must not contain parts of the body,
/// header values or queries.
///
/// ```swift
/// guard fields.count == columns else {
///     throw FormatFailure("csv", .malformed, "the row has \(fields.count) fields, not \(columns)", line: line)
/// }
/// ```
///
/// A factory throws a `FormatFailure` for options that it refuses. Options come from a manifest, so `ManifestFailure`
/// shows the whole reason.
public struct FormatFailure: Error, Sendable {
    /// The kind of fault. The set of kinds is open: your own format can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Values are nested too deeply.
        public static let depth = Code(rawValue: "depth")
        /// A key occurs twice.
        public static let duplicateKey = Code(rawValue: "duplicateKey")
        /// One element cannot be read; `cause` has the reason.
        public static let element = Code(rawValue: "element")
        /// The body has no value.
        public static let empty = Code(rawValue: "empty")
        /// The bytes are not valid in their charset.
        public static let encoding = Code(rawValue: "encoding")
        /// A limit is exceeded.
        public static let limit = Code(rawValue: "limit")
        /// A rule of the format is broken.
        public static let malformed = Code(rawValue: "malformed")
        /// A value, or an option, is out of its range.
        public static let range = Code(rawValue: "range")
        /// The bytes end too early.
        public static let truncated = Code(rawValue: "truncated")
        /// The body uses a part of the format that is not supported.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The body has another format.
        public static let wrongFormat = Code(rawValue: "wrongFormat")

        public var description: String { rawValue }
    }

    /// The name of the format, such as `csv`.
    public let format: String
    /// The kind of fault.
    public let code: Code
    /// The reason as it was given. Sentences show its first line, at most 200 characters of it.
    public let reason: String
    /// The line, from 1; nil if unknown.
    public let line: Int?
    /// The column in Unicode scalars, from 1; nil if unknown.
    public let column: Int?
    /// The offset in bytes from the start of the body, from 0; nil if unknown.
    public let offset: Int?
    /// The number of the element in the body, from 1; nil if unknown.
    public let element: Int?
    /// The underlying error, which no sentence shows; nil if there is none.
    public let cause: (any Error)?
    /// The sentence of an error of a built-in format, shown instead of position and reason; nil for other formats.
    private var sentence: String?

    /// - Parameters:
    ///   - format: the name of the format, such as `csv`.
    ///   - code: the kind of the failure.
    ///   - reason: one clause that gives the reason. It is printed, so it must not quote the body.
    ///   - line: the line, from 1.
    ///   - column: the column in Unicode scalars, from 1.
    ///   - offset: the offset in bytes from the start of the body, from 0.
    ///   - element: the number of the element in the body, from 1.
    ///   - cause: the underlying error. It is kept and never printed.
    public init(
        _ format: String, _ code: Code, _ reason: String, line: Int? = nil, column: Int? = nil, offset: Int? = nil,
        element: Int? = nil, cause: (any Error)? = nil
    ) {
        self.format = format
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
        self.offset = offset
        self.element = element
        self.cause = cause
    }

    /// A failure of a built-in format, with its sentence.
    package init(
        _ format: String, _ code: Code, _ reason: String, line: Int? = nil, cause: (any Error)? = nil, sentence: String
    ) {
        self.init(format, code, reason, line: line, cause: cause)
        self.sentence = sentence
    }

    /// The public form of an error of a built-in format.
    package init(
        _ error: some FormatFault, _ format: String, _ code: Code, _ reason: String, line: Int? = nil,
        column: Int? = nil, offset: Int? = nil, element: Int? = nil, cause: (any Error)? = nil
    ) {
        self.init(
            format, code, reason, line: line, column: column, offset: offset, element: element, cause: cause)
        sentence = error.description
    }
}

/// An error of a built-in format, with its own details; callers get it as a `FormatFailure`.
package protocol FormatFault: SafeToPrint {
    var formatFailure: FormatFailure { get }
}

extension FormatFailure {
    /// The error as callers get it.
    package static func published(_ error: any Error) -> any Error {
        (error as? any FormatFault)?.formatFailure ?? error
    }
}

extension FormatFailure: SafeToPrint, LocalizedError {
    public var errorDescription: String? { description }
}

extension FormatFailure: CustomStringConvertible, CustomReflectable {
    /// The format, the position and the reason, as in `csv, line 3, column 7: a quote is not closed`.
    public var description: String {
        if let sentence { return sentence }
        let place: [(name: String, number: Int?)] = [
            ("element", element), ("line", line), ("column", column), ("byte", offset),
        ]
        let places = place.compactMap { name, number in number.map { "\(name) \($0)" } }
        let start = [Printed(format, limit: Self.longestFormat).text] + places
        return start.joined(separator: ", ") + ": " + Printed(reason, limit: Self.longestReason).text
    }
    public var customMirror: Mirror { Mirror(described: self) }

    /// The limits of the shown name and reason, in Unicode scalars.
    private static let longestFormat = 40
    private static let longestReason = 200
}
