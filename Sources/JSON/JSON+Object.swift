extension JSON {
    /// The members of an object in document order, each key once.
    public struct Object: Collection, Sendable {
        public typealias Element = (key: String, value: JSON)

        /// A place among the members.
        public struct Index: Comparable, Hashable, Sendable {
            let word: Int
            public static func < (left: Self, right: Self) -> Bool { left.word < right.word }
        }

        let json: JSON

        init?(_ json: JSON) {
            guard json.kind == .object else { return nil }
            self.json = json
        }

        public var count: Int { json.count }
        public var startIndex: Index { Index(word: json.index + 1) }
        public var endIndex: Index { Index(word: json.tape.end(of: json.index) - 1) }
        public func index(after index: Index) -> Index { Index(word: json.tape.end(of: index.word + 1)) }

        public subscript(index: Index) -> Element {
            (json.tape.string(at: index.word), JSON(json.tape, at: index.word + 1))
        }

        /// The value under a key.
        public subscript(key: String) -> JSON? { json[key] }

        /// The keys in document order.
        public var keys: [String] { map(\.key) }
        /// The values in document order.
        public var values: [JSON] { map(\.value) }
    }
}
