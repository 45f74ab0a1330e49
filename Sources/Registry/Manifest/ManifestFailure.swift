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
        ///   - code: the kind of the fault, a word of `Documentation/Errors.md`.
        ///   - file: the name of the manifest.
        ///   - pointer: the JSON pointer of the faulty value; empty for the file as a whole.
        ///   - line: the line of the value, from 1.
        ///   - message: the fault in words, without the nearest valid spelling.
        ///   - suggestion: the nearest valid spelling.
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

        /// Its code, where it is one of ours.
        package var kind: Code? { Code(rawValue: code) }

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
    /// The kinds of faults, and of notes; `Documentation/Errors.md` says what each means.
    package enum Code: String, Sendable {
        case unreadableFile, fileTooLarge, invalidJSON, duplicateKey, unsupportedVersion, missingKey
        case unknownKey, wrongType, invalidValue, emptyList, notYetSupported, invalidID, reservedID
        case duplicateID, tooManyEntries, invalidMediaRange, invalidStatus, invalidHost, duplicateHost
        case invalidAlias, aliasChain, aliasedType, duplicateFactory, unknownFactory, unknownEntry
        case unknownHost, conflictingKeys, circularPlaces, unknownOption, invalidOption, factoryFailed
        case hiddenEntry, unusedFactory, declaredFactory, unavailableEntry, ineffectiveOrder, takenResponse
        case unreachedEntry, narrowedEntry, droppedEntry, hidesNothing, unwritableContentType
    }
}
