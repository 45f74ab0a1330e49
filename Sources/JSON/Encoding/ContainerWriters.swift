struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { set(EncodingNode(.value(.null)), key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        set(try encoder.child(value, key), key)
    }

    // The most frequent types need no encoder of their own.
    func encode(_ value: Bool, forKey key: Key) throws { set(try encoder.leaf(.bool(value), of: value, key), key) }
    func encode(_ value: String, forKey key: Key) throws { set(try encoder.leaf(.string(value), of: value, key), key) }
    func encode(_ value: Int, forKey key: Key) throws { set(try encoder.leaf(.int(Int64(value)), of: value, key), key) }
    // For these two the standard library does not call the generic function.
    func encode(_ value: Int128, forKey key: Key) throws { set(try encoder.child(value, key), key) }
    func encode(_ value: UInt128, forKey key: Key) throws { set(try encoder.child(value, key), key) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { child(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { child(PathKey.superclass) }

    func superEncoder(forKey key: Key) -> any Encoder { child(key) }

    private func child(_ key: some CodingKey) -> ValueEncoder {
        let child = ValueEncoder(encoder, key)
        set(child.node, key)
        return child
    }

    private func set(_ node: EncodingNode, _ key: some CodingKey) {
        let name = key.stringValue
        encoder.node.set(node, forKey: encoder.options.keys == .snakeCase ? SnakeCase.snakeCased(name) : name)
    }
}

struct ElementWriter: UnkeyedEncodingContainer {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    func encodeNil() { encoder.node.append(EncodingNode(.value(.null))) }

    func encode<Value: Encodable>(_ value: Value) throws { append(try encoder.child(value, PathKey.index(count))) }

    func encode(_ value: Bool) throws { append(try encoder.leaf(.bool(value), of: value, PathKey.index(count))) }
    func encode(_ value: String) throws { append(try encoder.leaf(.string(value), of: value, PathKey.index(count))) }
    func encode(_ value: Int) throws { append(try encoder.leaf(.int(Int64(value)), of: value, PathKey.index(count))) }
    func encode(_ value: Int128) throws { append(try encoder.child(value, PathKey.index(count))) }
    func encode(_ value: UInt128) throws { append(try encoder.child(value, PathKey.index(count))) }

    private func append(_ node: EncodingNode) { encoder.node.append(node) }

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
