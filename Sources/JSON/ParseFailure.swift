extension JSON {
    /// Why bytes are not a JSON document, and where.
    public struct ParseFailure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The rule that was broken. Later versions may add reasons.
        public struct Reason: RawRepresentable, Sendable, Hashable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }

            public static let empty = Reason(rawValue: "empty")
            public static let encoding = Reason(rawValue: "encoding")
            public static let size = Reason(rawValue: "size")
            public static let depth = Reason(rawValue: "depth")
            public static let fragment = Reason(rawValue: "fragment")
            public static let unexpectedEnd = Reason(rawValue: "unexpectedEnd")
            public static let value = Reason(rawValue: "value")
            public static let key = Reason(rawValue: "key")
            public static let colon = Reason(rawValue: "colon")
            public static let separator = Reason(rawValue: "separator")
            public static let trailingText = Reason(rawValue: "trailingText")
            public static let number = Reason(rawValue: "number")
            public static let numberRange = Reason(rawValue: "numberRange")
            public static let controlCharacter = Reason(rawValue: "controlCharacter")
            public static let escape = Reason(rawValue: "escape")
            public static let surrogate = Reason(rawValue: "surrogate")
            public static let utf8 = Reason(rawValue: "utf8")
            public static let duplicateKey = Reason(rawValue: "duplicateKey")
        }

        public let reason: Reason
        /// One clause that says what is wrong. It holds no part of the document except the name of a duplicate key.
        public let message: String
        /// The place in bytes from the first byte handed in, a byte order mark included.
        public let offset: Int
        /// The line, from 1. A line ends with LF, CR or both.
        public let line: Int
        /// The column in Unicode scalars, from 1. A byte order mark counts for nothing.
        public let column: Int

        public var description: String { "line \(line), column \(column): \(message)" }
    }
}
