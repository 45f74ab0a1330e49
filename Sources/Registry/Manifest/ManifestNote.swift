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
