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
        public var description: String { keys.map(\.description).joined(separator: "\n") }
    }
}

extension JSON.UnknownKeys.Key: CustomStringConvertible {
    /// `/user/nmae: unknown key (known here: name)`
    public var description: String {
        let known = known.isEmpty ? "no key is known here" : "known here: \(known.joined(separator: ", "))"
        return "\(pointer): unknown key (\(known))"
    }
}
