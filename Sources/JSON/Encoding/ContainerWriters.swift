struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try set(EncodingNode(.null), key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try set(encoder.child(value, key), key)
    }

    // The most frequent types need no encoder.
    func encode(_ value: Bool, forKey key: Key) throws { try set(EncodingNode(.bool(value)), key) }
    func encode(_ value: String, forKey key: Key) throws { try set(EncodingNode(.string(value)), key) }
    func encode(_ value: Int, forKey key: Key) throws { try set(EncodingNode(.int(Int64(value))), key) }
    // For these two types the standard library does not call the generic function.
    func encode(_ value: Int128, forKey key: Key) throws { try set(encoder.child(value, key), key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try set(encoder.child(value, key), key) }

    // The default implementations leave a nil out. Other formats than JSON decide about it themselves.
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try put(value, key, encode) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try put(value, key, encode) }

    private func put<Value>(_ value: Value?, _ key: Key, _ encode: (Value, Key) throws -> Void) throws {
        if let value { return try encode(value, key) }
        if encoder.options.keepsTypes, encoder.node.member(name(key)) == nil { try set(EncodingNode(.absent), key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { child(PathKey.superclass) }

    func superEncoder(forKey key: Key) -> any Encoder { child(key) }

    /// Containers nested under the same key are one container, as in Foundation's encoder.
    private func nested(_ key: some CodingKey) -> ValueEncoder { child(key, encoder.node.member(name(key))) }

    private func child(_ key: some CodingKey, _ node: EncodingNode? = nil) -> ValueEncoder {
        encoder.nested(key, node) { try set($0, key) }
    }

    private func set(_ node: EncodingNode, _ key: some CodingKey) throws {
        try encoder.node.set(node, forKey: name(key))
    }

    private func name(_ key: some CodingKey) -> String {
        encoder.options.keys == .snakeCase ? SnakeCase.snakeCased(key.stringValue) : key.stringValue
    }
}

struct ElementWriter: UnkeyedEncodingContainer {
    private let encoder: ValueEncoder

    init(_ encoder: ValueEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    func encodeNil() throws { try append(EncodingNode(.null)) }

    func encode<Value: Encodable>(_ value: Value) throws { try append(encoder.child(value, PathKey.index(count))) }

    func encode(_ value: Bool) throws { try append(EncodingNode(.bool(value))) }
    func encode(_ value: String) throws { try append(EncodingNode(.string(value))) }
    func encode(_ value: Int) throws { try append(EncodingNode(.int(Int64(value)))) }
    func encode(_ value: Int128) throws { try append(encoder.child(value, PathKey.index(count))) }
    func encode(_ value: UInt128) throws { try append(encoder.child(value, PathKey.index(count))) }

    private func append(_ node: EncodingNode) throws { try encoder.node.append(node) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

    func superEncoder() -> any Encoder { child() }

    private func child() -> ValueEncoder { encoder.nested(PathKey.index(count)) { try append($0) } }
}
