import PatchbayJSON
public import PatchbayPlatform

extension ElementWritingSerializer {
    /// Declines every value that does not encode as an array.
    ///
    /// Encodes the value up to its first element, and writes nothing. A value that throws before it asks for a container counts as an
    /// array: `write` then throws its error.
    public func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        guard !ElementEncoder.encodesAsArray(value) else { return nil }
        return "it only writes arrays, and \(Swift.type(of: value)) is not an array"
    }

    /// Writes each element of a value that encodes as an array, in order.
    ///
    /// Optionals of arrays, sets and types that encode as an array are written, too. `Data` is not: formats write it as one value.
    /// - Throws: what `writeElement` throws; an `EncodingError` gets the index of the element in front of its coding path. `EncodingError`
    ///   for a value that is not an array, and for a value that encodes an element in a nested container.
    public func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        var bytes = Data()
        try value.forEachElement { element, position in
            bytes += try writeElement(element, at: position, as: type)
        }
        return bytes
    }
}

extension Encodable {
    /// Calls the closure with each element of a value that encodes as an array, and its position.
    /// - Parameter take: escaping, because a value may keep its encoder.
    /// - Throws: what the closure throws; an `EncodingError` gets the position in front of its coding path. `EncodingError` for a value
    ///   that is not an array; what the value throws.
    package func forEachElement(_ take: @escaping (_ element: any Encodable, _ position: Int) throws -> Void) throws {
        let encoder = ElementEncoder(take)
        try encoder.encode(self)
        try encoder.finish(self)
    }
}

extension EncodingError {
    /// The error of an element, with the position of the element in front of its coding path.
    package func inElement(_ position: Int) -> EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        return .invalidValue(
            value,
            Context(
                codingPath: [PathKey.index(position)] + context.codingPath,
                debugDescription: context.debugDescription, underlyingError: context.underlyingError))
    }
}

/// Collects the elements of a value that encodes as an array, each in its own type.
private final class ElementEncoder: Encoder, SingleValueEncodingContainer {
    /// Ends the encoding where only the first element was of interest.
    private struct FirstElement: Error {}

    private let take: (_ element: any Encodable, _ position: Int) throws -> Void
    private var isArray = false
    /// How many values are being encoded as single values of each other.
    private var depth = 0
    /// The reason why the value cannot be written. Thrown later: the function that makes a container cannot throw.
    private(set) var refusal: String?
    private(set) var count = 0

    init(_ take: @escaping (_ element: any Encodable, _ position: Int) throws -> Void) { self.take = take }

    static func encodesAsArray(_ value: some Encodable) -> Bool {
        let encoder = ElementEncoder { _, _ in throw FirstElement() }
        do {
            try encoder.encode(value)
            return encoder.isArray
        } catch {
            return encoder.isArray || encoder.refusal == nil
        }
    }

    /// Throws if the value is not an array, or was refused without an error.
    func finish(_ value: some Encodable) throws {
        if !isArray { refuse(Self.noArray) }
        if let refusal { throw failure(value, refusal) }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        refuse(Self.noArray)
        return KeyedEncodingContainer(RefusedMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if refusal == nil { isArray = true }
        return ElementContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { refuse(Self.noArray) }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        // These encode themselves by this very function, without end; `Data` would encode its bytes as elements.
        case is Bool, is String, is any BinaryInteger, is any BinaryFloatingPoint, is Data: refuse(Self.noArray)
        default:
            guard depth < Self.maximumDepth else {
                throw failure(value, "More than \(Self.maximumDepth) values lie inside each other.")
            }
            depth += 1
            defer { depth -= 1 }
            try value.encode(to: self)
        }
    }

    func write(_ element: some Encodable) throws {
        if let refusal { throw failure(element, refusal) }
        do {
            try take(element, count)
        } catch let error as EncodingError {
            throw error.inElement(count)
        }
        count += 1
    }

    /// The first reason stays.
    func refuse(_ reason: String) { refusal = refusal ?? reason }

    func failure(_ value: Any, _ reason: String) -> EncodingError {
        let path = isArray ? [PathKey.index(count)] : []
        return .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: reason))
    }

    private static let maximumDepth = 512
    private static let noArray = "Only an array can be written element by element."
    static let nested = "An element must be encoded as a value, not in a nested container."
}

private struct ElementContainer: UnkeyedEncodingContainer {
    let encoder: ElementEncoder

    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count }

    func encodeNil() throws { try encoder.write(String?.none) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder.refuse(ElementEncoder.nested)
        return KeyedEncodingContainer(RefusedMembers(encoder: encoder))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.refuse(ElementEncoder.nested)
        return self
    }

    func superEncoder() -> any Encoder {
        encoder.refuse(ElementEncoder.nested)
        return encoder
    }
}

/// The members of a value that was refused when they were asked for.
private struct RefusedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ElementEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.write(String?.none) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
