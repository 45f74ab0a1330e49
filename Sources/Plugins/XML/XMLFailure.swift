/// Why a body was not accepted as XML.
public struct XMLFailure: Error, Sendable, Hashable {
    /// The kinds of failure; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not text in the encoding that holds for them.
        public static let encoding = Code(rawValue: "encoding")
        /// There is a document type declaration where none may be, one that reaches outside the document, or an entity that only
        /// one that was passed over could have declared.
        public static let doctype = Code(rawValue: "doctype")
        /// Elements lie too deep inside each other.
        public static let depth = Code(rawValue: "depth")
        /// An element has too many attributes.
        public static let attributes = Code(rawValue: "attributes")
        /// There is too much text, entities put in place included.
        public static let characters = Code(rawValue: "characters")
        /// The tree has too many nodes.
        public static let nodes = Code(rawValue: "nodes")
        /// There is no complete root element.
        public static let noRootElement = Code(rawValue: "noRootElement")
        /// A rule of XML 1.0 is broken.
        public static let notWellFormed = Code(rawValue: "notWellFormed")
        /// The delegate ended the parse.
        public static let aborted = Code(rawValue: "aborted")
    }

    /// Which kind of failure it is.
    public let code: Code
    /// The reason in plain words, without any of the document's text.
    public let reason: String
    /// Where, counted from 1 in lines; nil where no place can be named.
    public let line: Int?
    /// Where in the line, counted from 1 in bytes.
    public let column: Int?

    /// For a reader of `XMLTree` of your own; the reason must not show text of the document.
    public init(_ code: Code, _ reason: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
    }
}

extension XMLFailure: CustomStringConvertible {
    public var description: String {
        guard let line, let column else { return "the XML was refused: \(reason)" }
        return "the XML was refused at line \(line), column \(column): \(reason)"
    }
}

extension XMLFailure {
    /// The failure at a place in the bytes.
    static func at(_ offset: Int, in bytes: UnsafeRawBufferPointer, _ code: Code, _ reason: String) -> XMLFailure {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return XMLFailure(code, reason, line: line, column: before.count - lineStart + 1)
    }
}

extension XMLFailure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
