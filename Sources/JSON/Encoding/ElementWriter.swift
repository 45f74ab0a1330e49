/// The elements of an array being encoded.
struct ElementWriter: UnkeyedEncodingContainer {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    func encodeNil() { encoder.node.append(EncodingNode(.value(.null))) }

    func encode<Value: Encodable>(_ value: Value) throws {
        encoder.node.append(try encoder.child(value, PathKey.index(count)))
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

    func superEncoder() -> any Encoder { child() }

    private func child() -> ValueEncoder {
        let child = ValueEncoder(encoder, PathKey.index(count))
        encoder.node.append(child.node)
        return child
    }
}
