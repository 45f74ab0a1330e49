/// An encoder that takes the values of all containers itself.
package protocol MemberEncoder: Encoder {
    func take(_ value: some Encodable) throws
}

/// A keyed container that passes all its values to the encoder.
package struct PassedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: any MemberEncoder

    package init(to encoder: any MemberEncoder) { self.encoder = encoder }

    package var codingPath: [any CodingKey] { [] }

    package func encodeNil(forKey key: Key) throws { try encoder.take(String?.none) }
    package func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.take(value) }

    package func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }

    package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    package func superEncoder() -> any Encoder { encoder }
    package func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
