/// The elements of an array being encoded.
struct ParametersElements: UnkeyedEncodingContainer {
    let encoder: ParametersEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    mutating func encodeNil() throws { encoder.node.appendElement().set(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        element().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { element() }

    private func element() -> ParametersEncoder {
        let key = Parameters.Name(intValue: count)
        return encoder.inner(encoder.node.appendElement(), key)
    }
}
