/// Why a body was not accepted as a property list.
public struct PropertyListFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Neither the XML nor the binary format.
        public static let format = Code(rawValue: "format")
        /// The bytes break the rules of their format.
        public static let malformed = Code(rawValue: "malformed")
        /// A kind of value that only archives have: a set, a UID, null.
        public static let unsupported = Code(rawValue: "unsupported")
        /// Values lie too deep inside each other.
        public static let depth = Code(rawValue: "depth")
        /// Shared objects stand for more values than may be walked.
        public static let size = Code(rawValue: "size")
    }

    /// Which kind of failure it is.
    public let code: Code
    /// The reason in plain words, without any of the content.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "the property list was refused: \(reason)" }

    static func depth(_ limit: Int) -> PropertyListFailure {
        PropertyListFailure(.depth, "its containers are nested more than \(limit) deep")
    }
}

extension PropertyListFailure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}
