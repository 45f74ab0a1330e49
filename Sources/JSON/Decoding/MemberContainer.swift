/// The members of an object, found by coding key. The decoder holds the state of the search, so that a container is
/// only a reference to it.
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ValueDecoder

    init(_ decoder: ValueDecoder) { self.decoder = decoder }

    private var tape: Tape { decoder.json.tape }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        for item in tape.items(of: decoder.json.index) {
            let key = tape.string(at: item)
            let name = decoder.session.isSnakeCase ? SnakeCase.camelCased(key) : key
            decoder.session.audit?.ask(name, of: decoder.json)
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { tape.tag(at: try word(key)) == Tag.null }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decoder.scalar(type, at: word(key), key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder.scalar(type, at: word(key), key)
    }

    @inline(__always)
    func decode<Value: TapeScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.scalar(type, at: word(key), key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.value(type, at: word(key), key)
    }

    @inline(__always)
    func decodeIfPresent<Value: TapeScalar>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let word = find(key), tape.tag(at: word) != Tag.null else { return nil }
        return try decoder.scalar(type, at: word, key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let word = find(key), tape.tag(at: word) != Tag.null else { return nil }
        return try decoder.value(type, at: word, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.child(at: word(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(at: word(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(PathKey.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

    private func superDecoder(_ key: some CodingKey) throws -> any Decoder {
        guard let word = find(key) else { return decoder.nullChild(key) }
        return try decoder.child(at: word, key)
    }

    private func word(_ key: Key) throws -> Int {
        if let word = find(key) { return word }
        throw DecodingError.keyNotFound(key, decoder.context("The object has no key \"\(key.stringValue)\"."))
    }

    private func find(_ key: some CodingKey) -> Int? { decoder.word(ofMember: key.stringValue) }
}
