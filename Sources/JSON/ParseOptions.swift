extension JSON {
    /// What the parser accepts.
    public struct ParseOptions: Sendable, Hashable {
        /// What a key that appears twice in one object means.
        public enum DuplicateKeys: String, Sendable, Hashable {
            /// The last member counts and the earlier ones are as if they were not there.
            case lastWins
            /// The document is refused.
            case error
        }

        /// What becomes of a repeated key.
        public var duplicateKeys: DuplicateKeys
        /// Whether a document may be a single string, number, boolean or null.
        public var fragments: Bool
        /// How many containers may be open at once. Also bounds the recursion of anything that decodes the value.
        public var maximumDepth: Int
        /// How many bytes the parsed document may take: eight for each key, string, boolean, null and bracket, sixteen for a
        /// number, sixteen for the whole, and the UTF-8 bytes of keys and strings with five for each. Not counted are the digits of
        /// numbers that a Double does not have: at most as many bytes as the text has.
        public var maximumSize: Int

        /// Options with these values; as they stand, they accept what RFC 8259 does, within the limits.
        public init(
            duplicateKeys: DuplicateKeys = .lastWins, fragments: Bool = true, maximumDepth: Int = 512,
            maximumSize: Int = 128 << 20
        ) {
            self.duplicateKeys = duplicateKeys
            self.fragments = fragments
            self.maximumDepth = maximumDepth
            self.maximumSize = maximumSize
        }
    }
}
