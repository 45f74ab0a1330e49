extension JSON {
    /// Encodes a value with the behaviour of Foundation's `JSONEncoder`; members keep the order in which they are encoded.
    ///
    /// A `Float` becomes the Double with the same shortest digits. Throws `EncodingError` with the coding path of the place.
    public init(encoding value: some Encodable, options: EncodeOptions = .init()) throws {
        let encoder = ValueEncoder(options)
        try encoder.encode(value)
        guard !encoder.node.isEmpty else {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "\(type(of: value)) did not encode any values.")
            throw EncodingError.invalidValue(value, context)
        }
        var builder = TapeBuilder()
        encoder.node.write(to: &builder)
        self.init(builder.finish())
    }
}
