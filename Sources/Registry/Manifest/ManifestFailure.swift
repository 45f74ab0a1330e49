/// The reasons that a manifest was refused: all its faults, not only the first.
///
/// A manifest is loaded completely or not at all: the previous registry stays in force.
public struct ManifestFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file by file, each file from top to bottom. There is at least one.
    public let issues: [Issue]

    /// - Parameter issues: the faults, at least one.
    public init(_ issues: [Issue]) { self.issues = issues }

    package init(_ code: Issue.Code, file: String, pointer: String = "", _ message: String, suggestion: String? = nil) {
        self.init([Issue(code, file: file, pointer: pointer, message, suggestion: suggestion)])
    }

    /// One line for each fault.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}

extension ManifestFailure {
    /// One fault of a manifest, or a note on it, with its file, JSON pointer and line.
    public struct Issue: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the fault or note: a word from `Documentation/Errors.md`.
        public let code: String
        /// The name of the manifest, or of the call for settings in code.
        public let file: String
        /// The JSON pointer (RFC 6901) of the faulty value in that file; empty for the file as a whole.
        public let pointer: String
        /// The line where the value begins, from 1; nil if it is unknown, as for settings in code.
        public package(set) var line: Int?
        /// The fault and, if possible, the correction, in plain words.
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

        /// The code, if it is one of this library.
        package var kind: Code? { Code(rawValue: code) }

        /// Whether a note is a warning about a probable mistake.
        package var isWarning: Bool {
            switch kind {
            case .ineffectiveOrder, .takenResponse, .unreachedEntry, .narrowedEntry, .droppedEntry, .hidesNothing,
                .conditionalFactory:
                true
            default: false
            }
        }

        /// The file, the JSON pointer and the message, without the line.
        package var text: String { ([file] + rest).joined(separator: ": ") }

        /// `Plugins.json:12: /plugins/3/match/types/0: what is wrong; did you mean "this"?`
        public var description: String {
            let text = ([Self.place(file, line)] + rest).joined(separator: ": ")
            return text + (suggestion.map { "; did you mean \(Quoted($0))?" } ?? "")
        }

        private var rest: [String] { pointer.isEmpty ? [message] : [pointer, message] }

        /// `Plugins.json:12`; the file alone without a line.
        package static func place(_ file: String, _ line: Int?) -> String { line.map { "\(file):\($0)" } ?? file }
    }
}

extension ManifestFailure.Issue {
    /// The kinds of faults and notes. `Documentation/Errors.md` explains each.
    package enum Code: String, Sendable {
        case unreadableFile, fileTooLarge, invalidJSON, duplicateKey, unsupportedVersion, missingKey
        case unknownKey, wrongType, invalidValue, emptyList, notYetSupported, invalidID, reservedID
        case duplicateID, tooManyEntries, invalidMediaRange, invalidStatus, invalidHost, duplicateHost
        case invalidAlias, aliasChain, aliasedType, duplicateFactory, unknownFactory, unknownEntry
        case unknownHost, conflictingKeys, circularPlaces, unknownOption, invalidOption, factoryFailed
        case hiddenEntry, unusedFactory, declaredFactory, unavailableEntry, ineffectiveOrder, takenResponse
        case unreachedEntry, narrowedEntry, droppedEntry, hidesNothing, uncheckedLayers, unwritableContentType
        case conditionalFactory, optionalFactory, ineffectiveOptions
    }
}
