import PatchbayJSON
import PatchbayPlatform

/// How JSON and property lists are made of parameters: by their own encoders.
extension Parameters: Encodable {
    /// - Throws: `EncodingError` for a set, which neither format has, and for values too deep for a recursive encoder.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value):
            if let value = Int64(exactly: value) {
                try value.encode(to: encoder)
            } else if let value = UInt64(exactly: value) {
                try value.encode(to: encoder)
            } else {
                throw invalid("The integer does not fit in 64 bits.", encoder)
            }
        case .number(let value): try value.encode(to: encoder)
        case .decimal(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .string(let value): try value.encode(to: encoder)
        case .data(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .date(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .array(let elements):
            try checkDepth(encoder)
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .set: throw invalid("A set has no order, and so no form in this format.", encoder)
        case .object(let members):
            try checkDepth(encoder)
            var container = encoder.container(keyedBy: Name.self)
            for member in members where !member.isLeftOut {
                try container.encode(member.value, forKey: Name(stringValue: member.name))
            }
        }
    }

    private func checkDepth(_ encoder: any Encoder) throws {
        guard encoder.codingPath.count < Self.maximumDepth else {
            throw invalid("More than \(Self.maximumDepth) values lie inside each other.", encoder)
        }
    }

    private func invalid(_ reason: String, _ encoder: any Encoder) -> EncodingError {
        .invalidValue(self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason))
    }

    package struct Name: CodingKey {
        package let stringValue: String
        package let intValue: Int?

        package init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        package init(intValue: Int) {
            stringValue = "Index \(intValue)"
            self.intValue = intValue
        }
    }
}

struct ParametersEncoder: Encoder, SingleValueEncodingContainer {
    let node: ParametersNode
    let codingPath: [any CodingKey]
    let nilMembers: Parameters.NilMembers
    /// The value that encodes itself here, or has the containers that are nested here.
    var value: any Encodable
    /// How many values lie around this one, with those that encode themselves as a single value, which no coding path counts.
    var depth = 0
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open { node.becomeObject() }
        return KeyedEncodingContainer(ParametersMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open { node.becomeArray() }
        return ParametersElements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        var inner = self
        inner.depth += 1
        return inner
    }

    func encodeNil() throws { try set(.null) }

    // The standard library calls these two in place of the generic function, and by default they throw.
    func encode(_ value: Int128) throws { try set(.integer(value)) }
    func encode(_ value: UInt128) throws { try set(integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as Parameters: try set(value)
        case let value as JSON: try set(converted(value))
        case let value as Bool: try set(.bool(value))
        case let value as String: try set(.string(value))
        case let value as any BinaryInteger: try set(integer(value))
        case let value as Double: try set(.number(value))
        // By way of the shortest digits, so that 0.1 as a Float is 0.1 in the text.
        case let value as Float: try set(.number(Double(value.description) ?? Double(value)))
        case let value as Date: try set(.date(value))
        case let value as Data: try set(.data(value))
        case let value as URL: try set(.string(value.absoluteString))
        case let value as Decimal: try set(number(value))
        default:
            guard depth < Parameters.maximumDepth else { throw failure(value, Self.tooDeep) }
            let before = node.content
            var encoder = self
            encoder.value = value
            do {
                try value.encode(to: encoder)
            } catch {
                // So that another value can be encoded in its stead.
                node.content = before
                throw error
            }
        }
    }

    /// The encoder of a value inside this one. Beyond the limit all paths are that of the failure.
    func inner(_ node: ParametersNode, _ key: any CodingKey) -> ParametersEncoder {
        let path = depth < Parameters.maximumDepth ? codingPath + [key] : codingPath
        return ParametersEncoder(node: node, codingPath: path, nilMembers: nilMembers, value: value, depth: depth + 1)
    }

    /// A container that cannot be had makes the whole fail at its end, as the one who asks for it cannot be told.
    private func open(_ become: () -> Bool) {
        if depth >= Parameters.maximumDepth {
            node.fail(failure(Self.tooDeep))
        } else if !become() {
            node.fail(failure(Self.twoForms))
        }
    }

    private func set(_ value: Parameters) throws {
        guard node.set(value) else { throw failure(Self.twoForms) }
    }

    private static let tooDeep = "More than \(Parameters.maximumDepth) values lie inside each other."
    private static let twoForms = "One value is encoded in two forms: an object, an array or a single value."

    /// The failure of the value that encodes itself here.
    func failure(_ reason: String) -> EncodingError { failure(value, reason) }

    private func failure(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
    }

    private func converted(_ json: JSON) throws -> Parameters {
        do { return try Parameters(json, depth: depth) } catch { throw failure(json, Self.tooDeep) }
    }

    private func integer(_ value: any BinaryInteger) throws -> Parameters {
        guard let integer = Int128(exactly: value) else {
            throw failure(value, "The integer does not fit in a signed integer of 128 bits.")
        }
        return .integer(integer)
    }

    /// The simplest case that has all of its digits.
    private func number(_ value: Decimal) -> Parameters {
        let text = value.description
        if let integer = Int128(text) { return .integer(integer) }
        guard let number = Double(text), value.isFinite else { return .number(.nan) }
        return .number(value, number)
    }
}

/// The members of an object being encoded. Unlike most encoders it can keep a nil, for the forms that have a way to write it.
struct ParametersMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParametersEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        encoder.node.setMember(key.stringValue).set(.null)
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key).encode(value)
    }

    // As in ParametersEncoder.
    mutating func encode(_ value: Int128, forKey key: Key) throws { try member(key).encode(value) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try member(key).encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { member(Parameters.Name(stringValue: "super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: some CodingKey) -> ParametersEncoder {
        encoder.inner(encoder.node.setMember(key.stringValue), key)
    }

    /// Containers that are nested under one key are one, as for Foundation's encoders.
    private func nested(_ key: some CodingKey) -> ParametersEncoder {
        encoder.inner(encoder.node.member(key.stringValue), key)
    }

    private mutating func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if encoder.nilMembers != .leftOut {
            encoder.node.setMember(key.stringValue).setNil(isLeftOut: encoder.nilMembers == .marked)
        }
    }

    // Each of these has a default of its own that leaves a nil out.
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encodeOptional(value, key)
    }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOptional(value, key) }
}

struct ParametersElements: UnkeyedEncodingContainer {
    let encoder: ParametersEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    mutating func encodeNil() throws { encoder.node.appendElement().set(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }
    mutating func encode(_ value: Int128) throws { try element().encode(value) }
    mutating func encode(_ value: UInt128) throws { try element().encode(value) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        element().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { element() }

    private func element() -> ParametersEncoder {
        let key = Parameters.Name(intValue: count)
        return encoder.inner(encoder.node.appendElement(), key)
    }
}
