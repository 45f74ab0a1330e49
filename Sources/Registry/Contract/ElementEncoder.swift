import PatchbayJSON
public import PatchbayPlatform

extension ElementWritingSerializer {
    /// Declines every value that does not encode as an array.
    ///
    /// Encodes the value up to its first element and writes nothing. A value that throws before it requests a container
    /// counts as an array, so that `write` throws the error of the value.
    public func declineReason(writing value: some Encodable, as type: MediaType) -> String? {
        guard !ElementEncoder.encodesAsArray(value) else { return nil }
        return "it only writes arrays, and \(Swift.type(of: value)) is not an array"
    }

    /// Writes each element of a value that encodes as an array, in order.
    ///
    /// Optionals of arrays, sets and types that encode as an array are written as well. `Data` is not: formats write it
    /// as one value.
    /// - Throws: the error of `writeElement`; the coding path of an `EncodingError` then begins with the index of the
    ///   element. `EncodingError` if the value is not an array, or encodes an element in a nested container.
    public func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        var bytes = Data()
        try value.forEachElement { element, position in
            bytes += try writeElement(element, at: position, as: type)
        }
        return bytes
    }
}

extension Encodable {
    /// Calls the closure with each element of a value that encodes as an array, and with its position.
    /// - Parameter take: escaping, because a value can keep its encoder.
    /// - Throws: the error of the closure; the coding path of an `EncodingError` then begins with the position.
    ///   `EncodingError` if the value is not an array; the error of the value.
    package func forEachElement(_ take: @escaping (_ element: any Encodable, _ position: Int) throws -> Void) throws {
        let encoder = ElementEncoder(take)
        try encoder.encode(self)
        try encoder.finish(self)
    }
}

extension EncodingError {
    /// The error of an element. Its coding path begins with the position of the element.
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
private final class ElementEncoder: MemberEncoder, SingleValueEncodingContainer {
    /// Ends the encoding if only the first element is needed.
    private struct FirstElement: Error {}

    private let receive: (_ element: any Encodable, _ position: Int) throws -> Void
    private var isArray = false
    /// The depth of nested single-value encodings.
    private var depth = 0
    /// The reason that the value cannot be written. It is thrown later, because a function that makes a container
    /// cannot throw.
    private(set) var refusal: String?
    private(set) var count = 0

    init(_ take: @escaping (_ element: any Encodable, _ position: Int) throws -> Void) { receive = take }

    static func encodesAsArray(_ value: some Encodable) -> Bool {
        let encoder = ElementEncoder { _, _ in throw FirstElement() }
        do {
            try encoder.encode(value)
            return encoder.isArray
        } catch {
            return encoder.isArray || encoder.refusal == nil
        }
    }

    /// Throws if the value is not an array, or if `refuse` was called.
    func finish(_ value: some Encodable) throws {
        if !isArray { refuse(Self.noArray) }
        if let refusal { throw failure(value, refusal) }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        refuse(Self.noArray)
        return KeyedEncodingContainer(PassedMembers(to: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if refusal == nil { isArray = true }
        return ElementContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { refuse(Self.noArray) }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        // A value of these types except `Data` encodes itself by calling this function again, which would never end.
        // `Data` would encode its bytes as elements.
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

    func take(_ element: some Encodable) throws {
        if let refusal { throw failure(element, refusal) }
        do {
            try receive(element, count)
        } catch let error as EncodingError {
            throw error.inElement(count)
        }
        count += 1
    }

    /// Keeps the first reason.
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

    func encodeNil() throws { try encoder.take(String?.none) }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.take(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder.refuse(ElementEncoder.nested)
        return KeyedEncodingContainer(PassedMembers(to: encoder))
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
