import Foundation

extension CBORValue {
    /// Decodes a type. Tags that the type does not know are passed over; null and undefined are nil. Keys are text, or the integers that the
    /// coding keys have.
    /// - Throws: `DecodingError` with the coding path. No sentence of it quotes the value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try CBORDecoder(value: self, codingPath: []).decode(type)
    }

    /// The integer; nil for another kind of value, and where the type has no place for it.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        switch self {
        case .unsigned(let value): return Value(exactly: value)
        case .negative(let value): return Value.isSigned ? Value(exactly: value).map { ~$0 } : nil
        case .tagged(_, let item): return item.integer(type)
        default: return nil
        }
    }
}

/// The decoder of one value, and the container of it as a single value.
struct CBORDecoder: Decoder, SingleValueDecodingContainer {
    fileprivate let value: CBORValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decodeNil() -> Bool { value == .null || value == .undefined }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let made: Any?
        switch type {
        case is Bool.Type: made = bool
        case is String.Type: made = text
        case is Double.Type: made = value.untagged.number
        case is Float.Type: made = single
        case is Data.Type: if case .bytes(let bytes) = value.untagged { made = bytes } else { made = nil }
        case is Date.Type: made = date
        case is URL.Type: made = text.flatMap { URL(string: $0) }
        case let type as any FixedWidthInteger.Type: made = value.integer(type)
        default: return try Value(from: self)
        }
        guard let made = made as? Value else { throw mismatch(type) }
        return made
    }

    // The standard library calls these two in place of the generic function, and by default they throw.
    func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

    private func wide<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let made = value.integer(type) else { throw mismatch(type) }
        return made
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let map) = value.untagged else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(MemberReader<Key>(map: map, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = value.untagged else { throw mismatch([Any].self) }
        return ElementReader(items: items, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private var bool: Bool? {
        switch value.untagged {
        case .simple(20): false
        case .simple(21): true
        default: nil
        }
    }

    /// Rounded; a number that a Float has no place for is not made infinite.
    private var single: Float? {
        value.untagged.number.flatMap { Float($0).isInfinite && $0.isFinite ? nil : Float($0) }
    }

    private var text: String? {
        if case .text(let text) = value.untagged { text } else { nil }
    }

    /// Seconds since 1970 (the tag 1), or text of RFC 3339 (the tag 0).
    private var date: Date? {
        var item = value
        while case .tagged(let tag, let inner) = item {
            switch (tag, inner) {
            case (0, .text(let text)):
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
                return try? style.parse(text)
            case (1, _):
                return inner.number.flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
            default: item = inner
            }
        }
        return nil
    }

    fileprivate func child(_ value: CBORValue, _ key: some CodingKey) -> CBORDecoder {
        CBORDecoder(value: value, codingPath: codingPath + [key])
    }

    fileprivate func context(_ description: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: description)
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        decodeNil()
            ? .valueNotFound(type, context("There is no value."))
            : .typeMismatch(type, context("There is \(value.kind), which this type cannot hold."))
    }
}

private struct MemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let map: [CBORValue: CBORValue]
    let decoder: CBORDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        map.keys.compactMap { key in
            if case .text(let text) = key { return Key(stringValue: text) }
            return key.integer(Int.self).flatMap { Key(intValue: $0) }
        }
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try child(key).decode(type)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try child(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try child(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try child(CBORKey.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

    private func member(_ key: some CodingKey) -> CBORValue? {
        map[.text(key.stringValue)] ?? key.intValue.flatMap { map[.integer(Int64($0))] }
    }

    private func child(_ key: some CodingKey) throws -> CBORDecoder {
        guard let value = member(key) else {
            throw DecodingError.keyNotFound(key, decoder.context("The map has no such key."))
        }
        return decoder.child(value, key)
    }
}

private struct ElementReader: UnkeyedDecodingContainer {
    let items: [CBORValue]
    let decoder: CBORDecoder
    private(set) var currentIndex = 0

    init(items: [CBORValue], decoder: CBORDecoder) { (self.items, self.decoder) = (items, decoder) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex == items.count }

    mutating func decodeNil() throws -> Bool {
        guard try element().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try element().decode(type)
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try element().decode(type)
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try element().decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try element().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element()
        currentIndex += 1
        return decoder
    }

    private func element() throws -> CBORDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(Any.self, decoder.context("The array has no more elements."))
        }
        return decoder.child(items[currentIndex], CBORKey(currentIndex))
    }
}

/// A `CBORValue` in other values is the item as it is.
extension CBORValue: Decodable {
    /// - Throws: `DecodingError` for a decoder of another format.
    init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? CBORDecoder else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "Only CBOR holds a CBOR value.")
            throw DecodingError.dataCorrupted(context)
        }
        self = decoder.value
    }
}
