/// Why a manifest was refused: everything that is wrong with it, not only the first fault.
///
/// Nothing is half loaded: whoever catches this still has the registry from before.
public struct ManifestFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file by file, each file from top to bottom. There is at least one.
    public let issues: [Issue]

    /// - Parameter issues: the faults, of which there is at least one.
    public init(_ issues: [Issue]) { self.issues = issues }

    package init(_ code: Issue.Code, file: String, pointer: String = "", _ message: String, suggestion: String? = nil) {
        self.init([Issue(code, file: file, pointer: pointer, message, suggestion: suggestion)])
    }

    /// One line a fault.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}

extension ManifestFailure {
    /// One fault of a manifest, or a note on one: what is wrong or worth knowing, and where.
    public struct Issue: Sendable, Hashable, CustomStringConvertible {
        /// Which rule was broken, or which kind of note it is: one of the words that `Documentation/Errors.md` lists.
        public let code: String
        /// The name of the source, or of the call for what was given in code.
        public let file: String
        /// The JSON pointer (RFC 6901) of the faulty value in that file; empty for the file as a whole.
        public let pointer: String
        /// The line where that value begins, from 1; nil where there is no text to count in.
        public package(set) var line: Int?
        /// What is wrong, and where it can be said what would be right, in plain words.
        public let message: String
        /// The nearest valid spelling.
        public let suggestion: String?

        /// - Parameters:
        ///   - pointer: the JSON pointer of the faulty value; empty for the file as a whole.
        ///   - message: what is wrong, in plain words; the nearest right spelling is for `suggestion`.
        public init(
            _ code: String, file: String, pointer: String, line: Int? = nil, _ message: String,
            suggestion: String? = nil
        ) {
            self.code = code
            self.file = file
            self.pointer = pointer
            self.line = line
            self.message = message
            self.suggestion = suggestion
        }

        package init(
            _ code: Code, file: String, pointer: String, line: Int? = nil, _ message: String, suggestion: String? = nil
        ) {
            self.init(code.rawValue, file: file, pointer: pointer, line: line, message, suggestion: suggestion)
        }

        /// Its code as one of those that this version knows.
        package var kind: Code { Code(rawValue: code) }

        /// Whether a note is a warning: something that its author probably did not mean.
        package var isWarning: Bool {
            switch kind {
            case .ineffectiveOrder, .takenResponse, .unreachedEntry, .narrowedEntry, .droppedEntry, .hidesNothing: true
            default: false
            }
        }

        /// Place and message without the line.
        package var text: String { pointer.isEmpty ? "\(file): \(message)" : "\(file): \(pointer): \(message)" }

        /// `Plugins.json: /plugins/3/match/types/0: what is wrong; did you mean "this"? (line 12)`
        public var description: String {
            var text = text
            if let suggestion { text += "; did you mean \(Quoted(suggestion))?" }
            if let line { text += " (line \(line))" }
            return text
        }
    }
}

extension ManifestFailure.Issue {
    /// The kinds of faults, and of notes: what is allowed and worth knowing.
    package struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read.
        package static let unreadableFile = Code(rawValue: "unreadableFile")
        /// It has more bytes than are read of any.
        package static let fileTooLarge = Code(rawValue: "fileTooLarge")
        /// It is no JSON.
        package static let invalidJSON = Code(rawValue: "invalidJSON")
        /// A key stands twice in one object.
        package static let duplicateKey = Code(rawValue: "duplicateKey")
        /// It is of a version that this build does not read.
        package static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// A key that has to be there is not.
        package static let missingKey = Code(rawValue: "missingKey")
        /// A key that nothing reads.
        package static let unknownKey = Code(rawValue: "unknownKey")
        /// A value of another type than its key takes.
        package static let wrongType = Code(rawValue: "wrongType")
        /// A value of the right type that its key does not take.
        package static let invalidValue = Code(rawValue: "invalidValue")
        /// A list that must not be empty is.
        package static let emptyList = Code(rawValue: "emptyList")
        /// A value that a later version will take.
        package static let notYetSupported = Code(rawValue: "notYetSupported")
        /// The id of an entry breaks the rules of ids.
        package static let invalidID = Code(rawValue: "invalidID")
        /// It is a word of the manifest itself.
        package static let reservedID = Code(rawValue: "reservedID")
        /// Two entries have it.
        package static let duplicateID = Code(rawValue: "duplicateID")
        /// There are more entries than are read of any.
        package static let tooManyEntries = Code(rawValue: "tooManyEntries")
        /// A text is no media range.
        package static let invalidMediaRange = Code(rawValue: "invalidMediaRange")
        /// A text is no status, and no range of them.
        package static let invalidStatus = Code(rawValue: "invalidStatus")
        /// A text is no host pattern.
        package static let invalidHost = Code(rawValue: "invalidHost")
        /// Two sections are for the same hosts.
        package static let duplicateHost = Code(rawValue: "duplicateHost")
        /// An alias is none that can be.
        package static let invalidAlias = Code(rawValue: "invalidAlias")
        /// An alias stands for another one.
        package static let aliasChain = Code(rawValue: "aliasChain")
        /// An entry names a type that an alias turns into another.
        package static let aliasedType = Code(rawValue: "aliasedType")
        /// Two factories have one name.
        package static let duplicateFactory = Code(rawValue: "duplicateFactory")
        /// No factory has the name.
        package static let unknownFactory = Code(rawValue: "unknownFactory")
        /// No entry has the id.
        package static let unknownEntry = Code(rawValue: "unknownEntry")
        /// There is no section for the host.
        package static let unknownHost = Code(rawValue: "unknownHost")
        /// Two keys of one object exclude each other.
        package static let conflictingKeys = Code(rawValue: "conflictingKeys")
        /// Entries are each to stand before the other.
        package static let circularPlaces = Code(rawValue: "circularPlaces")
        /// An option that the factory does not have.
        package static let unknownOption = Code(rawValue: "unknownOption")
        /// The value of an option is not one that the factory takes.
        package static let invalidOption = Code(rawValue: "invalidOption")
        /// The factory threw.
        package static let factoryFailed = Code(rawValue: "factoryFailed")
        /// An entry is never reached, because one before it covers all of it; a note where that one is of another layer or of a host section.
        package static let hiddenEntry = Code(rawValue: "hiddenEntry")

        // Of notes.

        /// A factory is registered and no entry uses it.
        package static let unusedFactory = Code(rawValue: "unusedFactory")
        /// An entry of a factory of which the name alone is known.
        package static let declaredFactory = Code(rawValue: "declaredFactory")
        /// An optional entry whose factory is not in this build.
        package static let unavailableEntry = Code(rawValue: "unavailableEntry")
        /// A list names entries of earlier manifests in an order that is not theirs, which moves none of them.
        package static let ineffectiveOrder = Code(rawValue: "ineffectiveOrder")
        /// An entry takes responses from one of an earlier manifest that is no wider than it, or names their type by itself; or one of a
        /// host that names no types takes all.
        package static let takenResponse = Code(rawValue: "takenResponse")
        /// A new entry stands behind those of an earlier manifest that cover all of it, so that no untyped call reaches it.
        package static let unreachedEntry = Code(rawValue: "unreachedEntry")
        /// An entry of an earlier manifest no longer covers all that it did.
        package static let narrowedEntry = Code(rawValue: "narrowedEntry")
        /// A host section does without entries that the section of a wildcard gave the host.
        package static let droppedEntry = Code(rawValue: "droppedEntry")
        /// An id in `hides` of which nothing is hidden.
        package static let hidesNothing = Code(rawValue: "hidesNothing")

        package var description: String { rawValue }
    }
}
