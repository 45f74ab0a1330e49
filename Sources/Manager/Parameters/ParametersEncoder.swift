import PatchbayJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes parameters of any `Encodable` value.
struct ParametersEncoder: Encoder, SingleValueEncodingContainer {
    let node: ParametersNode
    let codingPath: [any CodingKey]
    let nilMembers: Parameters.NilMembers
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(ParametersMembers(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return ParametersElements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { node.set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard codingPath.count < Parameters.maximumDepth else {
            let reason = "More than \(Parameters.maximumDepth) values lie inside each other."
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: codingPath, debugDescription: reason))
        }
        switch value {
        case let value as Parameters: node.set(value)
        case let value as JSON: node.set(Parameters(value))
        case let value as Bool: node.set(.bool(value))
        case let value as String: node.set(.string(value))
        case let value as any BinaryInteger: node.set(try integer(value))
        case let value as Double: node.set(.number(value))
        // By way of the shortest digits, so that 0.1 as a Float is 0.1 in the text.
        case let value as Float: node.set(.number(Double(value.description) ?? Double(value)))
        case let value as Date: node.set(.date(value))
        case let value as Data: node.set(.data(value))
        case let value as URL: node.set(.string(value.absoluteString))
        case let value as Decimal: node.set(number(value))
        default: try value.encode(to: self)
        }
    }

    /// The encoder of a value inside this one.
    func inner(_ node: ParametersNode, _ key: any CodingKey) -> ParametersEncoder {
        ParametersEncoder(node: node, codingPath: codingPath + [key], nilMembers: nilMembers)
    }

    private func integer(_ value: any BinaryInteger) throws -> Parameters {
        guard let integer = Int128(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: codingPath, debugDescription: "The integer does not fit in 128 bits.")
            )
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
