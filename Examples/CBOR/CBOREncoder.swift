import Foundation

extension CBORValue {
    /// Encodes a value. `Data` becomes a byte string, a `Date` seconds since 1970 with the tag 1, a `URL` text with the tag 32. Keys are
    /// text.
    /// - Throws: `EncodingError` with the coding path.
    init(encoding value: some Encodable) throws {
        let encoder = CBOREncoder(of: value)
        try encoder.encode(value)
        if case .nothing = encoder.node.content { throw encoder.failure(value, "It encodes no value.") }
        self = try encoder.node.item
    }
}

/// A key of a path that no type has: the index of an element, or a superclass.
struct CBORKey: CodingKey {
    let stringValue: String
    var intValue: Int?

    init(_ index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { self.init(intValue) }

    static let superclass = CBORKey(stringValue: "super")
}

/// The item of a value that is being encoded. Containers may be filled in any order.
private final class CBORNode {
    enum Content {
        case nothing
        case item(CBORValue)
        case array([CBORNode])
        case map([CBORValue: CBORNode])
        /// Kept here, because the function that makes a container cannot throw.
        case failed(EncodingError)
    }

    var content = Content.nothing

    /// What was encoded; an empty map where nothing was.
    var item: CBORValue {
        get throws {
            switch content {
            case .nothing: return .map([:])
            case .item(let item): return item
            case .array(let nodes): return .array(try nodes.map { try $0.item })
            case .map(let nodes): return .map(try nodes.mapValues { try $0.item })
            case .failed(let error): throw error
            }
        }
    }

    var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    func append(_ node: CBORNode) {
        guard case .array(var nodes) = content else { return }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
    }

    func set(_ node: CBORNode, _ key: some CodingKey) {
        guard case .map(var nodes) = content else { return }
        content = .nothing
        nodes[.text(key.stringValue)] = node
        content = .map(nodes)
    }

    func member(_ key: some CodingKey) -> CBORNode? {
        guard case .map(let nodes) = content else { return nil }
        return nodes[.text(key.stringValue)]
    }
}

/// The encoder of one value, and the container of it as a single value.
final class CBOREncoder: Encoder, SingleValueEncodingContainer {
    /// How many values may be encoded inside each other, with those that encode themselves as a single value and are no items.
    private static let maximumCalls = 4 * CBORParser.maximumDepth
    private static let tooDeep = "More than \(CBORParser.maximumDepth) values lie inside each other."
    private static let twoForms = "One value is encoded in two forms: a map, an array or a single value."

    fileprivate let node: CBORNode
    private let parent: CBOREncoder?
    private let key: (any CodingKey)?
    /// In how many items this one lies.
    private let depth: Int
    private var calls: Int
    /// The value that encodes itself here, or has the containers that are nested here.
    private var value: any Encodable

    fileprivate init(of value: any Encodable) {
        (node, parent, key, depth, calls) = (CBORNode(), nil, nil, 0, 0)
        self.value = value
    }

    fileprivate init(_ parent: CBOREncoder, _ key: any CodingKey, _ node: CBORNode = CBORNode()) {
        (self.node, self.parent, self.key) = (node, parent, key)
        (depth, calls, value) = (parent.depth + 1, parent.calls, parent.value)
    }

    /// Read off only where somebody asks for it.
    var codingPath: [any CodingKey] {
        sequence(first: self, next: \.parent).compactMap(\.key).reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func encodeNil() throws { try set(.null) }

    // The standard library calls these two in place of the generic function, and by default they throw.
    func encode(_ value: Int128) throws { try set(integer(value)) }
    func encode(_ value: UInt128) throws { try set(integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard depth < CBORParser.maximumDepth, calls < Self.maximumCalls else { throw failure(value, Self.tooDeep) }
        switch value {
        case let value as Bool: try set(.bool(value))
        case let value as String: try set(.text(value))
        case let value as Double: try set(.float(value))
        case let value as Float: try set(.float(Double(value)))
        case let value as any FixedWidthInteger: try set(integer(value))
        case let value as Data: try set(.bytes(value))
        case let value as URL: try set(.tagged(32, .text(value.absoluteString)))
        case let value as Date:
            let seconds = value.timeIntervalSince1970
            guard seconds.isFinite else { throw failure(value, "The date is not finite.") }
            try set(.tagged(1, Int64(exactly: seconds).map { .integer($0) } ?? .float(seconds)))
        default:
            self.value = value
            calls += 1
            defer { calls -= 1 }
            let before = node.content
            do {
                try value.encode(to: self)
            } catch {
                // So that another value can be encoded in its place.
                node.content = before
                throw error
            }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if isOpen, case .map = node.content {} else { become(.map([:])) }
        return KeyedEncodingContainer(MemberWriter<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if isOpen, case .array = node.content {} else { become(.array([])) }
        return ElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func integer(_ value: some FixedWidthInteger) throws -> CBORValue {
        if let value = UInt64(exactly: value) { return .unsigned(value) }
        guard let small = Int64(exactly: value) else { throw failure(value, "The integer has more than 64 bits.") }
        return .integer(small)
    }

    /// The last single value counts.
    fileprivate func set(_ item: CBORValue) throws {
        switch node.content {
        case .nothing, .item: node.content = .item(item)
        case .array, .map: throw failure(value, Self.twoForms)
        case .failed(let error): throw error
        }
    }

    private var isOpen: Bool { depth < CBORParser.maximumDepth }

    /// The first failure stays.
    private func become(_ container: CBORNode.Content) {
        switch node.content {
        case .failed: break
        case .nothing where isOpen: node.content = container
        default: node.content = .failed(failure(value, isOpen ? Self.twoForms : Self.tooDeep))
        }
    }

    fileprivate func failure(_ value: Any, _ description: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: description))
    }

    fileprivate func encodeMember(_ value: some Encodable, _ key: some CodingKey) throws {
        let child = CBOREncoder(self, key)
        try child.encode(value)
        node.set(child.node, key)
    }

    fileprivate func encodeElement(_ value: some Encodable) throws {
        let child = CBOREncoder(self, CBORKey(node.count))
        try child.encode(value)
        node.append(child.node)
    }

    /// Containers that are nested under one key are one, as for Foundation's encoders.
    fileprivate func nestedMember(_ key: some CodingKey) -> CBOREncoder {
        let child = CBOREncoder(self, key, node.member(key) ?? CBORNode())
        node.set(child.node, key)
        return child
    }

    fileprivate func nestedElement() -> CBOREncoder {
        let child = CBOREncoder(self, CBORKey(node.count))
        node.append(child.node)
        return child
    }
}

private struct MemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: CBOREncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try encoder.encodeMember(CBORValue.null, key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.encodeMember(value, key) }
    func encode(_ value: Int128, forKey key: Key) throws { try encoder.encodeMember(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.encodeMember(value, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.nestedMember(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.nestedMember(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.nestedMember(CBORKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.nestedMember(key) }
}

private struct ElementWriter: UnkeyedEncodingContainer {
    let encoder: CBOREncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() throws { try encoder.encodeElement(CBORValue.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.encodeElement(value) }
    func encode(_ value: Int128) throws { try encoder.encodeElement(value) }
    func encode(_ value: UInt128) throws { try encoder.encodeElement(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.nestedElement().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.nestedElement().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.nestedElement() }
}

/// A `CBORValue` lies in other values as it is.
extension CBORValue: Encodable {
    /// - Throws: `EncodingError` for an encoder of another format.
    func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? CBOREncoder else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "Only CBOR holds a CBOR value.")
            throw EncodingError.invalidValue(self, context)
        }
        try encoder.set(self)
    }
}
