/// The members of an object, found by coding key.
///
/// The search starts where the last one ended, since types ask for keys in nearly the order in which documents have them.
final class MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ValueDecoder
    private let tape: Tape
    /// The first member's word, the closing word, and the member found last.
    private let first: Int
    private let last: Int
    private var latest: Int
    /// Only where searching from member to member would take too long, or keys have to be converted.
    private lazy var sorted = KeyIndex(tape, object: decoder.json.index)
    private lazy var converted = camelCasedMembers()

    init(_ decoder: ValueDecoder) {
        self.decoder = decoder
        tape = decoder.json.tape
        first = decoder.json.index + 1
        last = tape.end(of: decoder.json.index) - 1
        latest = first
    }

    private var isSnakeCase: Bool { decoder.session.isSnakeCase }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var cursor = first
        while cursor < last {
            let name = isSnakeCase ? SnakeCase.camelCased(tape.string(at: cursor)) : tape.string(at: cursor)
            decoder.session.audit?.ask(name, of: decoder.json)
            if let key = Key(stringValue: name) { keys.append(key) }
            cursor = tape.end(of: cursor + 1)
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

    /// The word of the value under a key.
    private func find(_ key: some CodingKey) -> Int? {
        var name = key.stringValue
        decoder.session.audit?.ask(name, of: decoder.json)
        if isSnakeCase { return converted[name] }
        return name.withUTF8 { name in
            if latest < last && tape.isString(at: latest, equalTo: name) { return latest + 1 }
            if tape.count(at: decoder.json.index) > 64 { return findInLarge(name) }
            let start = latest
            if let word = search(name, from: start, to: last) { return word }
            return search(name, from: first, to: start)
        }
    }

    private func search(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var cursor = start
        while cursor < end {
            if tape.isString(at: cursor, equalTo: name) {
                latest = cursor
                return cursor + 1
            }
            cursor = tape.end(of: cursor + 1)
        }
        return nil
    }

    /// Tries the member after the last one, then the sorted keys.
    private func findInLarge(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        let next = tape.end(of: latest + 1)
        if next < last && tape.isString(at: next, equalTo: name) {
            latest = next
            return next + 1
        }
        guard let word = sorted.value(forKey: name) else { return nil }
        latest = word - 1
        return word
    }

    /// The words of the values by converted key. Where two keys become one, the last counts, as for equal keys.
    private func camelCasedMembers() -> [String: Int] {
        var words: [String: Int] = [:]
        var cursor = first
        while cursor < last {
            words[SnakeCase.camelCased(tape.string(at: cursor))] = cursor + 1
            cursor = tape.end(of: cursor + 1)
        }
        return words
    }
}
