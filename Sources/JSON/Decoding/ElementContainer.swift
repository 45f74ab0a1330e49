struct ElementContainer: UnkeyedDecodingContainer {
    private let decoder: ValueDecoder
    private let last: Int
    private var cursor: Int
    private(set) var currentIndex = 0

    init(_ decoder: ValueDecoder) {
        self.decoder = decoder
        cursor = decoder.json.index + 1
        last = decoder.json.tape.end(of: decoder.json.index) - 1
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.json.count }
    var isAtEnd: Bool { cursor >= last }

    mutating func decodeNil() throws -> Bool {
        guard decoder.json.tape.tag(at: try word(Never.self)) == Tag.null else { return false }
        try advance()
        return true
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type) }
    @inline(__always)
    mutating func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try scalar(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder.value(type, at: word(type), PathKey.index(currentIndex))
        try advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try inside([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try inside([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try inside((any Decoder).self) { $0 } }

    @inline(__always)
    private mutating func scalar<Value: TapeScalar>(_ type: Value.Type) throws -> Value {
        let value = try decoder.scalar(type, at: word(type), PathKey.index(currentIndex))
        try advance()
        return value
    }

    private mutating func inside<Made>(_ type: Any.Type, _ make: (ValueDecoder) throws -> Made) throws -> Made {
        let made = try make(decoder.child(at: word(type), PathKey.index(currentIndex)))
        try advance()
        return made
    }

    private func word(_ type: Any.Type) throws -> Int {
        guard !isAtEnd else {
            let context = decoder.context("The array has no more elements.", PathKey.index(currentIndex))
            throw DecodingError.valueNotFound(type, context)
        }
        return cursor
    }

    private mutating func advance() throws {
        try decoder.session.pass()
        cursor = decoder.json.tape.end(of: cursor)
        currentIndex += 1
    }
}
