import Foundation

extension CBORValue {
    /// Encodes a value. `Data` becomes a byte string, a `Date` seconds since 1970 with the tag 1, a `URL` text with the tag 32. Keys are
    /// text.
    /// - Throws: `EncodingError` with the coding path.
    init(encoding value: some Encodable) throws {
        let encoder = CBOREncoder(codingPath: [])
        try encoder.encode(value)
        guard let item = encoder.item else { throw encoder.failure(value, "It encodes no value.") }
        self = item
    }
}

/// A key of a path that no type has: the index of an element, or a superclass.
struct CBORKey: CodingKey {
    let stringValue: String
    var intValue: Int?

    init(_ index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { self.init(intValue) }

    static let superclass = CBORKey(stringValue: "super")
}

/// The encoder of one value, and the container of it as a single value. Those of the values inside are its elements or members.
final class CBOREncoder: Encoder, SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate var value: CBORValue?
    fileprivate var elements: [CBOREncoder]?
    fileprivate var members: [CBORValue: CBOREncoder]?

    fileprivate init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// What was encoded; nil for nothing.
    fileprivate var item: CBORValue? {
        if let elements { return .array(elements.map { $0.item ?? .map([:]) }) }
        if let members { return .map(members.mapValues { $0.item ?? .map([:]) }) }
        return value
    }

    func encodeNil() { value = .null }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard codingPath.count < CBORParser.maximumDepth else {
            throw failure(value, "More than \(CBORParser.maximumDepth) values lie inside each other.")
        }
        switch value {
        case let value as Bool: self.value = .bool(value)
        case let value as String: self.value = .text(value)
        case let value as Double: self.value = .float(value)
        case let value as Float: self.value = .float(Double(value))
        case let value as any FixedWidthInteger: self.value = try integer(value)
        case let value as Data: self.value = .bytes(value)
        case let value as URL: self.value = .tagged(32, .text(value.absoluteString))
        case let value as Date:
            let seconds = value.timeIntervalSince1970
            guard seconds.isFinite else { throw failure(value, "The date is not finite.") }
            self.value = .tagged(1, Int64(exactly: seconds).map { .integer($0) } ?? .float(seconds))
        default: try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        members = members ?? [:]
        return KeyedEncodingContainer(MemberWriter<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        elements = elements ?? []
        return ElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func integer(_ value: some FixedWidthInteger) throws -> CBORValue {
        if let value = UInt64(exactly: value) { return .unsigned(value) }
        guard let small = Int64(exactly: value) else { throw failure(value, "The integer has more than 64 bits.") }
        return .integer(small)
    }

    fileprivate func failure(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
    }

    fileprivate func member(_ key: some CodingKey) -> CBOREncoder {
        let child = CBOREncoder(codingPath: codingPath + [key])
        members?[.text(key.stringValue)] = child
        return child
    }

    fileprivate func element() -> CBOREncoder {
        let child = CBOREncoder(codingPath: codingPath + [CBORKey(elements?.count ?? 0)])
        elements?.append(child)
        return child
    }
}

private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CBOREncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.member(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.member(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.member(CBORKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

private struct ElementWriter: UnkeyedEncodingContainer {
    let encoder: CBOREncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.elements?.count ?? 0 }

    func encodeNil() { encoder.element().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.element().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.element() }
}

/// A `CBORValue` lies in other values as it is.
extension CBORValue: Encodable {
    /// - Throws: `EncodingError` for an encoder of another format.
    func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? CBOREncoder else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "Only CBOR holds a CBOR value.")
            throw EncodingError.invalidValue(self, context)
        }
        encoder.value = self
    }
}
