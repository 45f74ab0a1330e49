extension JSON {
    /// Decodes a type straight from the tape, with the behaviour of Foundation's `JSONDecoder`.
    ///
    /// A number decodes as an integer type where that holds it exactly, `1.0` and `1e2` included. A `JSON` inside the type
    /// is a part of this document, not a copy. Throws `DecodingError` with the coding path of the place.
    public func decode<Value: Decodable>(_ type: Value.Type, options: CodingOptions = .init()) throws -> Value {
        try ValueDecoder(self, DecodeSession(options)).decode(type)
    }

    /// Decodes a type and refuses every key of the document that the type did not ask for.
    ///
    /// Asking for a key in any way makes it known, and so does listing all keys. A `JSON` takes in everything below it. An
    /// object whose type opens no keyed container has unknown keys only.
    ///
    /// - Parameter ignoringKeys: Names keys that are never refused, wherever they stand.
    /// - Throws: a `DecodingError` where the type does not decode; else `UnknownKeysFailure` where there are any.
    package func decodeRefusingUnknownKeys<Value: Decodable>(
        _ type: Value.Type, options: CodingOptions = .init(), ignoringKeys: (String) -> Bool = { _ in false }
    ) throws -> Value {
        let audit = KeyAudit(of: tape)
        let value = try ValueDecoder(self, DecodeSession(options, audit)).decode(type)
        let unknown = audit.unknownKeys(from: index, options.keys).filter { !ignoringKeys($0.key) }
        guard unknown.isEmpty else { throw UnknownKeysFailure(keys: unknown) }
        return value
    }

    /// Decodes types from one value after the other, with the same options.
    package struct Decoding {
        private let session: DecodeSession

        package init(_ options: CodingOptions) { session = DecodeSession(options) }

        package func decode<Value: Decodable>(_ type: Value.Type, from json: JSON) throws -> Value {
            try ValueDecoder(json, session).decode(type)
        }
    }
}
