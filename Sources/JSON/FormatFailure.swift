public import PatchbayPlatform

/// Why bytes are not of a format: the error for a serializer of your own, with a sentence that may be printed.
///
/// Of an error of any other type only the type is shown, and the case of an enumeration, because its text may quote the body. The
/// `reason` of this one is part of sentences, logs and events. So it must hold nothing out of the body, no header value and no query.
///
/// ```swift
/// guard fields.count == columns else {
///     throw FormatFailure("csv", .malformed, "the row has \(fields.count) fields, not \(columns)", line: line)
/// }
/// ```
///
/// A factory throws it for options that it refuses. The manifest is its author's own, so there the whole reason is shown.
public struct FormatFailure: Error, Sendable {
    /// What is wrong; open, so that a format of your own can have its own word.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Values lie too deep inside each other.
        public static let depth = Code(rawValue: "depth")
        /// A key stands twice where it may stand once.
        public static let duplicateKey = Code(rawValue: "duplicateKey")
        /// One element cannot be read; `cause` says why.
        public static let element = Code(rawValue: "element")
        /// There is nothing.
        public static let empty = Code(rawValue: "empty")
        /// The bytes are not text in the charset that holds for them.
        public static let encoding = Code(rawValue: "encoding")
        /// There is more than a limit allows.
        public static let limit = Code(rawValue: "limit")
        /// A rule of the format is broken.
        public static let malformed = Code(rawValue: "malformed")
        /// A value, or an option, is out of its range.
        public static let range = Code(rawValue: "range")
        /// The bytes end too early.
        public static let truncated = Code(rawValue: "truncated")
        /// It is of the format, and uses a part of it that is not read.
        public static let unsupported = Code(rawValue: "unsupported")
        /// It is of another format.
        public static let wrongFormat = Code(rawValue: "wrongFormat")

        public var description: String { rawValue }
    }

    /// The name of the format, such as `csv`.
    public let format: String
    /// What is wrong.
    public let code: Code
    /// The reason in plain words, as it was given. Sentences show its first line, and 200 characters of that at most.
    public let reason: String
    /// The line, from 1; nil where there is none to name.
    public let line: Int?
    /// The column in Unicode scalars, from 1; nil where there is none to name.
    public let column: Int?
    /// The place in bytes from the start of the body, from 0; nil where there is none to name.
    public let offset: Int?
    /// Which element of the body it is, from 1; nil where there is none to name.
    public let element: Int?
    /// The error underneath, which no sentence shows; nil where there is none.
    public let cause: (any Error)?
    /// The sentence of a format of ours, which knows better words than place and reason; nil for those.
    private var sentence: String?

    /// - Parameters:
    ///   - format: the name of the format, such as `csv`.
    ///   - code: the kind of the failure.
    ///   - reason: one clause that gives the reason. It is printed, so it must not quote the body.
    ///   - line: the line, from 1.
    ///   - column: the column in Unicode scalars, from 1.
    ///   - offset: the place in bytes from the start of the body, from 0.
    ///   - element: the number of the element in the body, from 1.
    ///   - cause: the error underneath. It is kept and never printed.
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

    /// What callers see of an error that a format of ours throws.
    package init(
        _ error: some FormatFault, _ format: String, _ code: Code, _ reason: String, line: Int? = nil,
        column: Int? = nil, offset: Int? = nil, element: Int? = nil, cause: (any Error)? = nil
    ) {
        self.init(
            format, code, reason, line: line, column: column, offset: offset, element: element, cause: cause)
        sentence = error.description
    }
}

/// An error that a format of ours throws, with words of its own inside; callers see it as a `FormatFailure`.
package protocol FormatFault: SafeToPrint {
    var formatFailure: FormatFailure { get }
}

extension FormatFailure {
    /// The error as callers see it.
    package static func published(_ error: any Error) -> any Error {
        (error as? any FormatFault)?.formatFailure ?? error
    }
}

extension FormatFailure: SafeToPrint, LocalizedError {
    public var errorDescription: String? { description }
}

extension FormatFailure: CustomStringConvertible, CustomReflectable {
    /// The format, the place and the reason, as in `csv, line 3, column 7: a quote is not closed`.
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

    /// How many Unicode scalars of a name, and of a reason, are shown.
    private static let longestFormat = 40
    private static let longestReason = 200
}
