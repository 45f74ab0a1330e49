extension JSON {
    /// The keys of a document that the type it was decoded as has no use for.
    public struct UnknownKeys: Error, Sendable, Hashable, CustomStringConvertible {
        /// A key that nothing asked for.
        public struct Key: Sendable, Hashable {
            /// The key as it stands in the document.
            public let key: String
            /// The JSON pointer of its value.
            public let pointer: String
            /// The keys that the type asked for in the same object, sorted; with `snakeCase` in that spelling.
            public let known: [String]
        }

        /// In document order, those of an object before those of the objects inside it. Never empty.
        public let keys: [Key]

        /// One line a key.
        public var description: String {
            keys.map { key in
                let known =
                    key.known.isEmpty ? "no key is known here" : "known here: \(key.known.joined(separator: ", "))"
                return "\(key.pointer): unknown key (\(known))"
            }.joined(separator: "\n")
        }
    }
}
