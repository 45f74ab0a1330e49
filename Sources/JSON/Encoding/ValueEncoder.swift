// `Encodable` types into a JSON value, with the behaviour of Foundation's JSONEncoder.

/// The encoder of one value, and the container of it as a single value.
final class ValueEncoder: Encoder, CodingNode {
    let node = EncodingNode()
    let options: JSON.CodingOptions
    let parent: ValueEncoder?
    let key: (any CodingKey)?
    private let depth: Int

    init(_ options: JSON.CodingOptions) {
        self.options = options
        parent = nil
        key = nil
        depth = 0
    }

    init(_ parent: ValueEncoder, _ key: any CodingKey) {
        options = parent.options
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
    }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(MemberWriter<Key>(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return ElementWriter(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func child(_ value: some Encodable, _ key: any CodingKey) throws -> EncodingNode {
        let child = ValueEncoder(self, key)
        guard child.depth <= Self.maximumDepth else {
            throw child.failure(value, "More than \(Self.maximumDepth) values lie inside each other.")
        }
        try child.encode(value)
        return child.node
    }

    /// The node of a value without members or elements.
    func leaf(
        _ content: EncodingNode.Content, of value: some Encodable, _ key: @autoclosure () -> any CodingKey
    ) throws -> EncodingNode {
        guard depth < Self.maximumDepth else { return try child(value, key()) }
        return EncodingNode(content)
    }

    func failure(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
    }
}

extension JSON {
    /// Encodes a value with the behaviour of Foundation's `JSONEncoder`; members keep the order in which they are encoded.
    ///
    /// A `Float` becomes the Double with the same shortest digits. Throws `EncodingError` with the coding path of the place.
    public init(encoding value: some Encodable, options: CodingOptions = .init()) throws {
        var builder = TapeBuilder()
        try Self.node(encoding: value, options).write(to: &builder)
        self.init(builder.finish())
    }

    /// Appends the compact text of `JSON(encoding: value, options: options)`, without making that value.
    package static func serialize(
        encoding value: some Encodable, options: CodingOptions, into bytes: inout [UInt8]
    ) throws {
        try node(encoding: value, options).write(to: &bytes)
    }

    private static func node(encoding value: some Encodable, _ options: CodingOptions) throws -> EncodingNode {
        let encoder = ValueEncoder(options)
        try encoder.encode(value)
        guard !encoder.node.isEmpty else {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "\(type(of: value)) did not encode any values.")
            throw EncodingError.invalidValue(value, context)
        }
        return encoder.node
    }
}
