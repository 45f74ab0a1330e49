/// Why a body was not accepted as one of parts.
public struct MultipartFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Content-Type names no boundary, or one that none can be.
        public static let boundary = Code(rawValue: "boundary")
        /// The boundary is nowhere in the body.
        public static let noPart = Code(rawValue: "noPart")
        /// The body ends before the last boundary.
        public static let unfinished = Code(rawValue: "unfinished")
        /// The header of a part breaks the rules of header fields.
        public static let header = Code(rawValue: "header")
        /// The header of a part is too long.
        public static let headerSize = Code(rawValue: "headerSize")
        /// There are more parts than are allowed.
        public static let partCount = Code(rawValue: "partCount")
    }

    /// Which kind of failure it is.
    public let code: Code
    /// The reason in plain words, without any of the content; a part is named by its number, counted from 1.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "the parts were refused: \(reason)" }
}

extension MultipartFailure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
