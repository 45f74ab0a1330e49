import PatchbayPlatform

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { json.isNull }

    func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type) }
    @inline(__always)
    func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try scalar(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value(type, at: json.index, self) { self }
    }

    @inline(__always)
    private func scalar<Value: TapeScalar>(_ type: Value.Type) throws -> Value {
        try scalar(type, at: json.index) { self }
    }

    func value<Value: Decodable>(_ type: Value.Type, at word: Int, _ key: some CodingKey) throws -> Value {
        try session.pass()
        return try value(type, at: word, nil) { try child(at: word, key) }
    }

    @inline(__always)
    func scalar<Value: TapeScalar>(_ type: Value.Type, at word: Int, _ key: some CodingKey) throws -> Value {
        guard let value = Value.read(json.tape, at: word, session) else {
            throw failure(type, at: word, key, isNumber: Value.isNumber)
        }
        return value
    }

    @inline(__always)
    private func scalar<Value: TapeScalar>(
        _ type: Value.Type, at word: Int, _ node: () throws -> ValueDecoder
    ) throws -> Value {
        guard let value = Value.read(json.tape, at: word, session) else {
            throw try node().failure(type, at: word, nil, isNumber: Value.isNumber)
        }
        return value
    }

    /// The value at a word of this tape. `made` is its decoder, if there is one already; otherwise `node` makes it.
    private func value<Value: Decodable>(
        _ type: Value.Type, at word: Int, _ made: ValueDecoder?, _ node: () throws -> ValueDecoder
    ) throws -> Value {
        switch KnownTypes.reading(of: type) {
        case .double: return Self.same(try scalar(Double.self, at: word, node))
        case .string: return Self.same(try scalar(String.self, at: word, node))
        case .int: return Self.same(try scalar(Int.self, at: word, node))
        case .json:
            let value = JSON(json.tape, at: word)
            session.audit?.takeWhole(value)
            return Self.same(value)
        case .date: return Self.same(try date(at: word, node))
        case .data where session.options.data == .base64: return Self.same(try data(at: word, node))
        case .url: return Self.same(try url(at: word, node))
        case .decimal: return Self.same(try decimal(at: word, node))
        case .collection(let collection):
            return try collection.read(as: type, self, at: word, node) { try type.init(from: made ?? node()) }
        // Not `Value`: the caller can hold the type of a subclass.
        case .data, .other: return try type.init(from: made ?? node())
        }
    }

    /// Returns `value` as `Value`. The bytes of `value` would be misread if `Known` and `Value` were two types. The two
    /// types cannot differ: a reading is found by the identity of `Value`, and each case is used only with the type
    /// that it names.
    @inline(__always)
    static func same<Known, Value>(_ value: Known) -> Value { unsafeBitCast(value, to: Value.self) }

    private func date(at word: Int, _ node: () throws -> ValueDecoder) throws -> Date {
        switch session.options.dates {
        case .deferred:
            return Date(timeIntervalSinceReferenceDate: try scalar(Double.self, at: word, node))
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try scalar(Double.self, at: word, node))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try scalar(Double.self, at: word, node) / 1000)
        case .iso8601:
            let text = try scalar(String.self, at: word, node)
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                throw try node().invalid("the text is not a date of ISO 8601")
            }
            return date
        }
    }

    private func data(at word: Int, _ node: () throws -> ValueDecoder) throws -> Data {
        guard let data = Data(base64Encoded: try scalar(String.self, at: word, node)) else {
            throw try node().invalid("the text is not Base64")
        }
        return data
    }

    private func url(at word: Int, _ node: () throws -> ValueDecoder) throws -> URL {
        guard let url = URL(string: try scalar(String.self, at: word, node)) else {
            throw try node().invalid("the text is not a URL")
        }
        return url
    }

    private func decimal(at word: Int, _ node: () throws -> ValueDecoder) throws -> Decimal {
        guard let decimal = JSON(json.tape, at: word).decimal else {
            throw try node().failure(Decimal.self, at: word, nil, isNumber: true)
        }
        return decimal
    }
}
