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
