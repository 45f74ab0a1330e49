import PatchbayJSON

/// What is inside a node, in order.
struct NodeElements<Node: DecodingNode>: UnkeyedDecodingContainer {
    private let decoder: NodeDecoder<Node>
    private let nodes: [Node]
    private(set) var currentIndex = 0

    init(_ decoder: NodeDecoder<Node>, _ nodes: [Node]) {
        self.decoder = decoder
        self.nodes = nodes
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex >= nodes.count }

    mutating func decodeNil() throws -> Bool {
        guard try node(Never.self).isNull else { return false }
        currentIndex += 1
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
        currentIndex += 1
        return value
    }

    private mutating func inside<Made>(_ type: Any.Type, _ make: (NodeDecoder<Node>) throws -> Made) throws -> Made {
        let made = try make(decoder.child(node(type), PathKey.index(currentIndex)))
        currentIndex += 1
        return made
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
