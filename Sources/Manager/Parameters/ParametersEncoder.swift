import PatchbayJSON
import PatchbayPlatform

/// Makes parameters of any `Encodable` value.
struct ParametersEncoder: Encoder, SingleValueEncodingContainer {
    let node: ParametersNode
    let codingPath: [any CodingKey]
    let nilMembers: Parameters.NilMembers
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
            do {
                try value.encode(to: self)
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
        return ParametersEncoder(node: node, codingPath: path, nilMembers: nilMembers, depth: depth + 1)
    }

    /// A container that cannot be had makes the whole fail at its end, as the one who asks for it cannot be told.
    private func open(_ become: () -> Bool) {
        if depth >= Parameters.maximumDepth {
            node.fail(failure(Parameters.null, Self.tooDeep))
        } else if !become() {
            node.fail(failure(Parameters.null, Self.twoForms))
        }
    }

    private func set(_ value: Parameters) throws {
        guard node.set(value) else { throw failure(value, Self.twoForms) }
    }

    private static let tooDeep = "More than \(Parameters.maximumDepth) values lie inside each other."
    private static let twoForms = "One value is encoded in two forms: an object, an array or a single value."

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
