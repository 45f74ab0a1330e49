#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { json.isNull }

    func decode(_ type: Int128.Type) throws -> Int128 {
        try scalar(type, at: json.index, nil)
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try scalar(type, at: json.index, nil)
    }

    func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value {
        try scalar(type, at: json.index, nil)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try special(type, at: json.index, nil) ?? Value(from: self)
    }

    func scalar<Value: TapeScalar>(_ type: Value.Type, at word: Int, _ key: (any CodingKey)?) throws -> Value {
        guard let value = Value.read(json.tape, at: word, session.options) else {
            throw failure(type, at: word, key, isNumber: Value.isNumber)
        }
        return value
    }

    /// The value at a word inside this one, as any type.
    func value<Value: Decodable>(_ type: Value.Type, at word: Int, _ key: some CodingKey) throws -> Value {
        try special(type, at: word, key) ?? Value(from: child(at: word, key))
    }

    /// The types that are read without a decoder of their own; nil for all others.
    private func special<Value: Decodable>(
        _ type: Value.Type, at word: Int, _ key: (any CodingKey)?
    ) throws -> Value? {
        // Generic callers such as Array arrive here with the types that fill long arrays.
        if type == Double.self { return try scalar(Double.self, at: word, key) as? Value }
        if type == String.self { return try scalar(String.self, at: word, key) as? Value }
        if type == Int.self { return try scalar(Int.self, at: word, key) as? Value }
        if type == JSON.self {
            let value = JSON(json.document, at: word)
            session.audit?.takeWhole(value)
            return value as? Value
        }
        if type == Date.self { return try date(at: word, key) as? Value }
        if type == Data.self && session.options.data == .base64 { return try data(at: word, key) as? Value }
        if type == URL.self { return try url(at: word, key) as? Value }
        if type == Decimal.self { return try decimal(at: word, key) as? Value }
        if session.options.keys == .snakeCase, let dictionary = type as? any StringKeyedDictionary.Type {
            return try dictionary.init(values: key.map { try child(at: word, $0) } ?? self) as? Value
        }
        return nil
    }

    private func date(at word: Int, _ key: (any CodingKey)?) throws -> Date {
        switch session.options.dates {
        case .deferred:
            return Date(timeIntervalSinceReferenceDate: try scalar(Double.self, at: word, key))
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try scalar(Double.self, at: word, key))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try scalar(Double.self, at: word, key) / 1000)
        case .iso8601:
            let text = try scalar(String.self, at: word, key)
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                throw DecodingError.dataCorrupted(context("Expected a date in the format of ISO 8601.", key))
            }
            return date
        }
    }

    private func data(at word: Int, _ key: (any CodingKey)?) throws -> Data {
        guard let data = Data(base64Encoded: try scalar(String.self, at: word, key)) else {
            throw DecodingError.dataCorrupted(context("Expected a string in Base64.", key))
        }
        return data
    }

    private func url(at word: Int, _ key: (any CodingKey)?) throws -> URL {
        guard let url = URL(string: try scalar(String.self, at: word, key)) else {
            throw DecodingError.dataCorrupted(context("Expected a URL.", key))
        }
        return url
    }

    /// The digits of the shortest text that reads back as the same number: a tape holds no others.
    private func decimal(at word: Int, _ key: (any CodingKey)?) throws -> Decimal {
        switch json.tape.number(at: word) {
        case .int(let value): return Decimal(value)
        case .uint(let value): return Decimal(value)
        case .double(let value):
            guard let decimal = Decimal(string: value.description) else {
                throw failure(Decimal.self, at: word, key, isNumber: true)
            }
            return decimal
        case nil: throw failure(Decimal.self, at: word, key)
        }
    }
}
