/// The encoder of one value, and the container of it as a single value.
final class ValueEncoder: Encoder {
    /// How many values may lie inside each other, so that a graph with a cycle ends in an error.
    private static let maximumDepth = 512

    let node = EncodingNode()
    let options: JSON.EncodeOptions
    private let parent: ValueEncoder?
    private let key: (any CodingKey)?
    private let depth: Int

    init(_ options: JSON.EncodeOptions) {
        self.options = options
        parent = nil
        key = nil
        depth = 0
    }

    init(_ parent: ValueEncoder, _ key: any CodingKey) {
        options = parent.options
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: ValueEncoder? = self
        while let current = node {
            if let key = current.key { path.append(key) }
            node = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(MemberWriter<Key>(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return ElementWriter(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Encodes a value that lies in this one.
    func child(_ value: some Encodable, _ key: any CodingKey) throws -> EncodingNode {
        let child = ValueEncoder(self, key)
        guard child.depth <= Self.maximumDepth else {
            throw child.failure(value, "More than \(Self.maximumDepth) values lie inside each other.")
        }
        try child.encode(value)
        return child.node
    }

    func failure(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
    }
}
