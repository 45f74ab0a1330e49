/// Why a manifest was refused: everything that is wrong with it, not only the first fault.
///
/// Nothing is half loaded: whoever catches this still has the registry from before.
public struct ManifestFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, file by file, each file from top to bottom. There is at least one.
    public let issues: [Issue]

    init(_ issues: [Issue]) { self.issues = issues }

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

        init(
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
    /// The kinds of faults.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case unreadableFile, fileTooLarge, invalidJSON, duplicateKey
        case unsupportedVersion, missingKey, unknownKey, wrongType, invalidValue, emptyList, notYetSupported
        case invalidID, reservedID, duplicateID, tooManyEntries
        case invalidMediaRange, invalidStatus, invalidHost, duplicateHost
        case invalidAlias, aliasChain, aliasedType
        case duplicateFactory, unknownFactory, unknownEntry, unknownHost, conflictingKeys, circularPlaces
        case unknownOption, invalidOption, factoryFailed
        case hiddenEntry
    }
}

/// Something about a manifest that is allowed and worth knowing.
public struct ManifestNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// An entry never serializes, because one of another layer or of a host section comes first.
        case hiddenEntry
        /// A factory is registered and no entry uses it.
        case unusedFactory
        /// An entry of a factory of which the name alone is known.
        case declaredFactory
        /// An optional entry whose factory is not in this build.
        case unavailableEntry
        /// A list names entries of earlier manifests in an order that is not theirs, which moves none of them.
        case ineffectiveOrder
        /// An entry takes responses from one of an earlier manifest that is no wider than it.
        case takenResponse
        /// A new entry stands behind those of an earlier manifest that cover all of it, so that no untyped call reaches it.
        case unreachedEntry
        /// An entry of an earlier manifest no longer covers all that it did.
        case narrowedEntry
        /// A host section does without entries that the section of a wildcard gave the host.
        case droppedEntry
        /// An id in `hides` of which nothing is hidden.
        case hidesNothing
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

    /// Whether it is a warning: something that its author probably did not mean.
    public var isWarning: Bool {
        switch code {
        case .hiddenEntry, .unusedFactory, .declaredFactory, .unavailableEntry: false
        case .ineffectiveOrder, .takenResponse, .unreachedEntry, .narrowedEntry, .droppedEntry, .hidesNothing: true
        }
    }

    /// `Plugins.json: /plugins/3: what is worth knowing`
    public var description: String {
        pointer.isEmpty ? "\(file): \(message)" : "\(file): \(pointer): \(message)"
    }
}
