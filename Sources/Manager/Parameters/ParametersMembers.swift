/// The members of an object being encoded. Unlike most encoders it can keep a nil, for the forms that have a way to write it.
struct ParametersMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParametersEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        encoder.node.setMember(key.stringValue).set(.null)
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key).encode(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { member(Parameters.Name(stringValue: "super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: some CodingKey) -> ParametersEncoder {
        encoder.inner(encoder.node.setMember(key.stringValue), key)
    }

    /// Containers that are nested under one key are one, as for Foundation's encoders.
    private func nested(_ key: some CodingKey) -> ParametersEncoder {
        encoder.inner(encoder.node.member(key.stringValue), key)
    }

    private mutating func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if encoder.nilMembers != .leftOut {
            encoder.node.setMember(key.stringValue).setNil(isLeftOut: encoder.nilMembers == .marked)
        }
    }

    // Each of these has a default of its own that leaves a nil out.
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encodeOptional(value, key)
    }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }
}
