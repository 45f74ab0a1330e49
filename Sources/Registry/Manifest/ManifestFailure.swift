/// Why a manifest was refused: everything that is wrong with it, not only the first fault.
///
/// Nothing is half loaded: whoever catches this still has the registry from before.
public struct ManifestFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file by file, each file from top to bottom. There is at least one.
    public let issues: [Issue]

    /// - Parameter issues: the faults, of which there is at least one.
    public init(_ issues: [Issue]) { self.issues = issues }

    init(_ code: Issue.Code, file: String, pointer: String = "", _ message: String, suggestion: String? = nil) {
        self.init([Issue(code, file: file, pointer: pointer, message, suggestion: suggestion)])
    }

    /// One line a fault.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}

extension ManifestFailure {
    /// One fault of a manifest: what is wrong, and where.
    public struct Issue: Sendable, Hashable, CustomStringConvertible {
        /// Which rule was broken.
        public let code: Code
        /// The name of the source, or of the call for what was given in code.
        public let file: String
        /// The JSON pointer (RFC 6901) of the faulty value in that file; empty for the file as a whole.
        public let pointer: String
        /// The line where that value begins, from 1; nil where there is no text to count in.
        public internal(set) var line: Int?
        /// What is wrong, and where it can be said what would be right, in plain words.
        public let message: String
        /// The nearest valid spelling.
        public let suggestion: String?

        /// - Parameters:
        ///   - pointer: the JSON pointer of the faulty value; empty for the file as a whole.
        ///   - message: what is wrong, in plain words; the nearest right spelling is for `suggestion`.
        public init(
            _ code: Code, file: String, pointer: String, line: Int? = nil, _ message: String, suggestion: String? = nil
        ) {
            self.code = code
            self.file = file
            self.pointer = pointer
            self.line = line
            self.message = message
            self.suggestion = suggestion
        }

        /// `Plugins.json: /plugins/3/match/types/0: what is wrong; did you mean "this"? (line 12)`
        public var description: String {
            var text = pointer.isEmpty ? "\(file): \(message)" : "\(file): \(pointer): \(message)"
            if let suggestion { text += "; did you mean \(Quoted(suggestion))?" }
            if let line { text += " (line \(line))" }
            return text
        }
    }
}

extension ManifestFailure.Issue {
    /// The kinds of faults; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// It has more bytes than are read of any.
        public static let fileTooLarge = Code(rawValue: "fileTooLarge")
        /// It is no JSON.
        public static let invalidJSON = Code(rawValue: "invalidJSON")
        /// A key stands twice in one object.
        public static let duplicateKey = Code(rawValue: "duplicateKey")
        /// It is of a version that this build does not read.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// A key that has to be there is not.
        public static let missingKey = Code(rawValue: "missingKey")
        /// A key that nothing reads.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// A value of another type than its key takes.
        public static let wrongType = Code(rawValue: "wrongType")
        /// A value of the right type that its key does not take.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// A list that must not be empty is.
        public static let emptyList = Code(rawValue: "emptyList")
        /// A value that a later version will take.
        public static let notYetSupported = Code(rawValue: "notYetSupported")
        /// The id of an entry breaks the rules of ids.
        public static let invalidID = Code(rawValue: "invalidID")
        /// It is a word of the manifest itself.
        public static let reservedID = Code(rawValue: "reservedID")
        /// Two entries have it.
        public static let duplicateID = Code(rawValue: "duplicateID")
        /// There are more entries than are read of any.
        public static let tooManyEntries = Code(rawValue: "tooManyEntries")
        /// A text is no media range.
        public static let invalidMediaRange = Code(rawValue: "invalidMediaRange")
        /// A text is no status, and no range of them.
        public static let invalidStatus = Code(rawValue: "invalidStatus")
        /// A text is no host pattern.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// Two sections are for the same hosts.
        public static let duplicateHost = Code(rawValue: "duplicateHost")
        /// An alias is none that can be.
        public static let invalidAlias = Code(rawValue: "invalidAlias")
        /// An alias stands for another one.
        public static let aliasChain = Code(rawValue: "aliasChain")
        /// An entry names a type that an alias turns into another.
        public static let aliasedType = Code(rawValue: "aliasedType")
        /// Two factories have one name.
        public static let duplicateFactory = Code(rawValue: "duplicateFactory")
        /// No factory has the name.
        public static let unknownFactory = Code(rawValue: "unknownFactory")
        /// No entry has the id.
        public static let unknownEntry = Code(rawValue: "unknownEntry")
        /// There is no section for the host.
        public static let unknownHost = Code(rawValue: "unknownHost")
        /// Two keys of one object exclude each other.
        public static let conflictingKeys = Code(rawValue: "conflictingKeys")
        /// Entries are each to stand before the other.
        public static let circularPlaces = Code(rawValue: "circularPlaces")
        /// An option that the factory does not have.
        public static let unknownOption = Code(rawValue: "unknownOption")
        /// The value of an option is not one that the factory takes.
        public static let invalidOption = Code(rawValue: "invalidOption")
        /// The factory threw.
        public static let factoryFailed = Code(rawValue: "factoryFailed")
        /// An entry is never reached, because one before it covers all of it.
        public static let hiddenEntry = Code(rawValue: "hiddenEntry")

        public var description: String { rawValue }
    }
}

/// Something about a manifest that is allowed and worth knowing.
public struct ManifestNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes; open, so that more can come.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An entry never serializes, because one of another layer or of a host section comes first.
        public static let hiddenEntry = Code(rawValue: "hiddenEntry")
        /// A factory is registered and no entry uses it.
        public static let unusedFactory = Code(rawValue: "unusedFactory")
        /// An entry of a factory of which the name alone is known.
        public static let declaredFactory = Code(rawValue: "declaredFactory")
        /// An optional entry whose factory is not in this build.
        public static let unavailableEntry = Code(rawValue: "unavailableEntry")
        /// A list names entries of earlier manifests in an order that is not theirs, which moves none of them.
        public static let ineffectiveOrder = Code(rawValue: "ineffectiveOrder")
        /// An entry takes responses from one of an earlier manifest that is no wider than it, or names their type by itself; or one of a
        /// host that names no types takes all.
        public static let takenResponse = Code(rawValue: "takenResponse")
        /// A new entry stands behind those of an earlier manifest that cover all of it, so that no untyped call reaches it.
        public static let unreachedEntry = Code(rawValue: "unreachedEntry")
        /// An entry of an earlier manifest no longer covers all that it did.
        public static let narrowedEntry = Code(rawValue: "narrowedEntry")
        /// A host section does without entries that the section of a wildcard gave the host.
        public static let droppedEntry = Code(rawValue: "droppedEntry")
        /// An id in `hides` of which nothing is hidden.
        public static let hidesNothing = Code(rawValue: "hidesNothing")

        public var description: String { rawValue }
    }

    /// Which kind of note it is.
    public let code: Code
    /// The name of the source that the note is about.
    public let file: String
    /// The JSON pointer of the value in that file; empty for none.
    public let pointer: String
    /// The line where that value begins, from 1; nil where there is no text to count in.
    public var line: Int?
    /// What there is to know, in plain words.
    public let message: String

    /// - Parameters:
    ///   - pointer: the JSON pointer of the value that the note is about; empty for none.
    ///   - message: what there is to know, in plain words.
    public init(code: Code, file: String, pointer: String, line: Int? = nil, message: String) {
        self.code = code
        self.file = file
        self.pointer = pointer
        self.line = line
        self.message = message
    }

    /// Whether it is a warning: something that its author probably did not mean.
    public var isWarning: Bool {
        switch code {
        case .ineffectiveOrder, .takenResponse, .unreachedEntry, .narrowedEntry, .droppedEntry, .hidesNothing: true
        default: false
        }
    }

    /// `Plugins.json: /plugins/3: what is worth knowing`
    public var description: String {
        pointer.isEmpty ? "\(file): \(message)" : "\(file): \(pointer): \(message)"
    }
}
