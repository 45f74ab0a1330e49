extension JSON {
    /// Decodes a type directly from the parsed document, with the behaviour of Foundation's `JSONDecoder`.
    ///
    /// A number decodes as an integer type that can hold it exactly, including `1.0` and `1e2`. A `JSON` inside the
    /// type is a part of this document, not a copy. Throws `DecodingError` with the coding path.
    public func decode<Value: Decodable>(_ type: Value.Type, options: CodingOptions = .init()) throws -> Value {
        try Decoding(options).decode(type, from: self)
    }

    /// Decodes a type and refuses every key of the document that the type did not request.
    ///
    /// A key is known if the type requests it in any way, or requests the list of all keys. All keys inside a value
    /// that is decoded as `JSON` are known. All keys of an object are unknown if its type opens no keyed container.
    ///
    /// - Parameter ignoringKeys: names of keys that are never refused, in any object of the document.
    /// - Throws: a `DecodingError` if the type cannot be decoded; otherwise `UnknownKeysFailure` if there are unknown
    ///   keys.
    package func decodeRefusingUnknownKeys<Value: Decodable>(
        _ type: Value.Type, options: CodingOptions = .init(), ignoringKeys: (String) -> Bool = { _ in false }
    ) throws -> Value {
        let audit = KeyAudit(of: tape)
        let value = try ValueDecoder(self, Decoding(options, audit)).decode(type)
        let unknown = audit.unknownKeys(from: index, options.keys).filter { !ignoringKeys($0.key) }
        guard unknown.isEmpty else { throw UnknownKeysFailure(keys: unknown) }
        return value
    }
}
