import PatchbayJSON
import PatchbayPlatform

struct NodeMembers<Node: DecodingNode, Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder<Node>
    let members: Node.Members

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.memberKeys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members.member(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(type, key) }

    // Without these methods, the protocol's default implementations for these types would be preferred to the generic
    // method. The default implementations don't call `isNil(as:)`.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try valueIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try valueIfPresent(type, key) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try valueIfPresent(type, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.child(node(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(node(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(PathKey.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

    /// The decoder of a member. A missing member counts as null: an object can lack the member for its superclass.
    private func superDecoder(_ key: any CodingKey) throws -> any Decoder {
        try decoder.child(members.member(key.stringValue) ?? Node.null, key)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        try decoder.value(type, of: node(key), key)
    }

    private func valueIfPresent<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard let node = members.member(key.stringValue), !node.isNil(as: type) else { return nil }
        return try decoder.value(type, of: node, key)
    }

    private func node(_ key: Key) throws -> Node {
        guard let node = members.member(key.stringValue) ?? Node.absent else {
            throw decoder.failure(.absent, Any.self, key)
        }
        return node
    }
}

struct NodeElements<Node: DecodingNode>: UnkeyedDecodingContainer {
    let decoder: NodeDecoder<Node>
    let nodes: [Node]
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex >= nodes.count }

    mutating func decodeNil() throws -> Bool {
        guard try node(Never.self).isNull else { return false }
        try advance()
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try inside([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try inside([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try inside((any Decoder).self) { $0 } }

    private mutating func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder.value(type, of: node(type), PathKey.index(currentIndex))
        try advance()
        return value
    }

    private mutating func inside<Made>(_ type: Any.Type, _ make: (NodeDecoder<Node>) throws -> Made) throws -> Made {
        let made = try make(decoder.child(node(type), PathKey.index(currentIndex)))
        try advance()
        return made
    }

    /// Stops between two elements if the call for which they are decoded is over.
    private mutating func advance() throws {
        currentIndex += 1
        if currentIndex & 15 == 0 { try Interruption.check() }
    }

    private func node(_ type: Any.Type) throws -> Node {
        guard !isAtEnd else {
            let path = codingPath + [PathKey.index(currentIndex)]
            throw DecodingError.valueNotFound(
                type, DecodingError.Context(codingPath: path, debugDescription: "There are no more elements."))
        }
        return nodes[currentIndex]
    }
}
