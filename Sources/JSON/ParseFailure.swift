public import PatchbayPlatform

extension JSON {
    /// Why bytes are not a JSON document, and where.
    public struct ParseFailure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The rule that was broken. Later versions may add reasons.
        public struct Reason: RawRepresentable, Sendable, Hashable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }

            /// No bytes, or a byte order mark alone.
            public static let empty = Reason(rawValue: "empty")
            /// The text starts as UTF-16 or UTF-32 does.
            public static let encoding = Reason(rawValue: "encoding")
            /// The document takes more memory than `ParseOptions.maximumSize`, or than there is, or its text is over 2 GiB.
            public static let size = Reason(rawValue: "size")
            /// More containers are open than `ParseOptions.maximumDepth` allows.
            public static let depth = Reason(rawValue: "depth")
            /// The document is neither an object nor an array, and `ParseOptions.fragments` is false.
            public static let fragment = Reason(rawValue: "fragment")
            /// The text ends inside the document.
            public static let unexpectedEnd = Reason(rawValue: "unexpectedEnd")
            /// Something stands where a value should.
            public static let value = Reason(rawValue: "value")
            /// Something stands where a key should.
            public static let key = Reason(rawValue: "key")
            /// Something stands between a key and its value where the colon should.
            public static let colon = Reason(rawValue: "colon")
            /// Something stands where a comma or a closing bracket should.
            public static let separator = Reason(rawValue: "separator")
            /// Something follows the document.
            public static let trailingText = Reason(rawValue: "trailingText")
            /// A number is not written as RFC 8259 §6 asks.
            public static let number = Reason(rawValue: "number")
            /// A number is too large for a Double.
            public static let numberRange = Reason(rawValue: "numberRange")
            /// A string holds a raw character below U+0020.
            public static let controlCharacter = Reason(rawValue: "controlCharacter")
            /// A backslash is followed by what RFC 8259 §7 does not list.
            public static let escape = Reason(rawValue: "escape")
            /// An escape stands for half a surrogate pair.
            public static let surrogate = Reason(rawValue: "surrogate")
            /// A string holds bytes that are not UTF-8.
            public static let utf8 = Reason(rawValue: "utf8")
            /// A key is repeated in one object, and `ParseOptions.duplicateKeys` is `.error`.
            public static let duplicateKey = Reason(rawValue: "duplicateKey")
        }

        /// Which rule was broken.
        public let reason: Reason
        /// One clause that says what is wrong. It holds no part of the document except the name of a duplicate key.
        public let message: String
        /// The place in bytes from the first byte handed in, a byte order mark included.
        public let offset: Int
        /// The line, from 1. A line ends with LF, CR or both.
        public let line: Int
        /// The column in Unicode scalars, from 1. A byte order mark counts for nothing.
        public let column: Int

        /// A rule that was broken at a place: for a parser of your own, and for tests.
        /// - Parameters:
        ///   - message: one clause that says what is wrong.
        ///   - offset: the place in bytes from the first one, a byte order mark included.
        ///   - line: the line, from 1.
        ///   - column: the column in Unicode scalars, from 1.
        public init(reason: Reason, message: String, offset: Int, line: Int, column: Int) {
            self.reason = reason
            self.message = message
            self.offset = offset
            self.line = line
            self.column = column
        }

        /// The place and the message, as in `line 3, column 7: expected a colon after a key`.
        public var description: String { "line \(line), column \(column): \(message)" }
    }
}

extension JSON.ParseFailure: LocalizedError, SafeToPrint {
    public var errorDescription: String? { description }
}

extension JSON.ParseFailure.Reason: CustomStringConvertible {
    public var description: String { rawValue }
}

/// A parse failure before its line and column have been counted.
struct Fault: Error {
    let reason: JSON.ParseFailure.Reason
    let message: String
    let offset: Int

    /// The failure with its place in the source.
    func located(in source: UnsafeRawBufferPointer) -> JSON.ParseFailure {
        let place = SourceText(bytes: source).position(ofOffset: offset)
        return JSON.ParseFailure(
            reason: reason, message: message, offset: offset, line: place.line, column: place.column)
    }
}
