extension JSON {
    /// The keys of a document that the type it was decoded as has no use for.
    public struct UnknownKeysFailure: Error, Sendable, Hashable, CustomStringConvertible {
        /// A key that nothing asked for.
        public struct Key: Sendable, Hashable {
            /// The key as it stands in the document.
            public let key: String
            /// The JSON pointer of its value.
            public let pointer: String
            /// The keys that the type asked for in the same object, sorted; with `snakeCase` in that spelling.
            public let known: [String]

            /// A key, the JSON pointer of its value, and the keys that its object may have.
            public init(key: String, pointer: String, known: [String]) {
                self.key = key
                self.pointer = pointer
                self.known = known
            }
        }

        /// In document order, those of an object before those of the objects inside it. Never empty.
        public let keys: [Key]

        /// - Parameter keys: the keys in document order, of which there is at least one.
        public init(keys: [Key]) { self.keys = keys }

        /// One line a key.
        public var description: String { keys.map(\.description).joined(separator: "\n") }
    }
}

extension JSON.UnknownKeysFailure.Key: CustomStringConvertible {
    /// `/user/nmae: unknown key (known here: name)`
    public var description: String {
        let known = known.isEmpty ? "no key is known here" : "known here: \(known.joined(separator: ", "))"
        return "\(pointer): unknown key (\(known))"
    }
}
