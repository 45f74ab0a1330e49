extension JSON {
    /// How the names of coding keys and the keys of objects correspond.
    public enum KeyStrategy: String, Sendable, Hashable, Codable, CaseIterable {
        /// They are the same.
        case asIs
        /// `someName` in code is `some_name` in JSON. The keys of a dictionary are left alone.
        case snakeCase
    }
}
