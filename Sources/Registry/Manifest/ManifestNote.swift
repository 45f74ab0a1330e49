/// Something about a manifest that is allowed and worth knowing.
public struct ManifestNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// An entry never serializes, because one of another layer or of a host section comes first.
        case hiddenEntry
        /// A factory is registered and no entry uses it.
        case unusedFactory
        /// An optional entry whose factory is not in this build.
        case unavailableEntry
    }

    public let code: Code
    /// The name of the source that the note is about.
    public let file: String
    /// The JSON pointer of the value in that file; empty for none.
    public let pointer: String
    public let message: String

    /// `Plugins.json: /plugins/3: what is worth knowing`
    public var description: String {
        pointer.isEmpty ? "\(file): \(message)" : "\(file): \(pointer): \(message)"
    }
}
