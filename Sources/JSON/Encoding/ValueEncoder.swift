// `Encodable` types into a JSON value, with the behaviour of Foundation's JSONEncoder.

/// The encoder of one value, which is also its single-value container.
final class ValueEncoder: Encoder, CodingNode {
    let node: EncodingNode
    let options: JSON.CodingOptions
    let parent: ValueEncoder?
    let key: (any CodingKey)?
    /// The number of values around this one.
    let depth: Int
    /// The number of values that are being encoded at this moment. A value that encodes itself as a single value counts
    /// here, but not in `depth`.
    var steps = 0

    init(_ options: JSON.CodingOptions) {
        node = EncodingNode()
        self.options = options
        parent = nil
        key = nil
        depth = 0
    }

    init(_ parent: ValueEncoder, _ key: any CodingKey, _ node: EncodingNode? = nil) {
        self.node = node ?? EncodingNode()
        options = parent.options
        self.parent = parent
        self.key = key
        depth = parent.depth + 1
        steps = parent.steps
    }

    var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        becomeObject()
        if options.keepsTypes, "\(type)" == Self.dictionaryKey { node.expectDictionary() }
        return KeyedEncodingContainer(MemberWriter<Key>(self))
    }

    /// The type of the keys under which the standard library encodes a dictionary. The type is not public. A dictionary
    /// can encode itself into the container of another value, where the type of the value says nothing.
    private static let dictionaryKey = "_DictionaryCodingKey"

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if depth >= Self.maximumDepth || !node.becomeArray() { refuse([Any]()) }
        return ElementWriter(self)
    }

    func becomeObject() {
        if depth >= Self.maximumDepth || !node.becomeObject() { refuse([String: Any]()) }
    }

    /// Keeps the reason that there is no container, because making a container cannot throw. The next `encode` into the
    /// container throws the error; without one, the end of the encoding throws it.
    private func refuse(_ container: Any) {
        node.fail(failure(container, depth < Self.maximumDepth ? Self.twoForms : Self.tooDeep))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func set(_ content: EncodingNode.Content, of value: some Encodable) throws {
        guard node.set(content) else {
            try node.throwFailure()
            throw failure(value, Self.twoForms)
        }
    }

    func child(_ value: some Encodable, _ key: any CodingKey) throws -> EncodingNode {
        let child = ValueEncoder(self, key)
        guard child.depth <= Self.maximumDepth else { throw child.failure(value, Self.tooDeep) }
        try child.encode(value)
        try child.node.throwFailure()
        // A value that encodes nothing is written as an empty object.
        guard child.depth < Self.maximumDepth || !child.node.isEmpty else { throw child.failure(value, Self.tooDeep) }
        return child.node
    }

    /// The encoder of a container, or of a superclass, inside this one.
    /// - Parameters:
    ///   - node: the node of that container, if it exists already.
    ///   - add: adds the node to this container. `add` throws if this container has failed. The result of `nested` is
    ///     then this encoder itself, so that everything inside has the same failure, and no chain of encoders grows
    ///     endlessly.
    func nested(_ key: any CodingKey, _ node: EncodingNode? = nil, _ add: (EncodingNode) throws -> Void) -> ValueEncoder
    {
        let child = ValueEncoder(self, key, node)
        do { try add(child.node) } catch { return self }
        if child.depth >= Self.maximumDepth { child.refuse([String: Any]()) }
        return child
    }

    func failure(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
    }

    static let tooDeep = "More than \(maximumDepth) values lie inside each other."
    static let twoForms = "One value is encoded in two forms: an object, an array or a single value."
}

extension JSON {
    /// Encodes a value with the behaviour of Foundation's `JSONEncoder`. Members keep the order in which they are
    /// encoded.
    ///
    /// At most 512 objects and arrays can be nested, as many as `ParseOptions` allow by default; a `JSON` value counts
    /// as one value, whatever its depth. A value that encodes itself in two forms (object, array, single value) is an
    /// error.
    ///
    /// A `Float` becomes the Double with the same shortest digits. Throws `EncodingError` with the coding path.
    public init(encoding value: some Encodable, options: CodingOptions = .init()) throws {
        var builder = TapeBuilder()
        try Self.node(encoding: value, options).write(to: &builder)
        self.init(builder.finish())
    }

    /// Appends the compact text of `JSON(encoding: value, options: options)` without making the value.
    package static func serialize(
        encoding value: some Encodable, options: CodingOptions, into bytes: inout [UInt8]
    ) throws {
        try node(encoding: value, options).write(to: &bytes)
    }

    static func node(encoding value: some Encodable, _ options: CodingOptions) throws -> EncodingNode {
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
