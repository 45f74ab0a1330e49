package import PatchbayJSON
import PatchbayPlatform

/// Encodes parameters with the encoders of JSON and of property lists.
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

/// Makes parameters of any value with the encoder of JSON, which keeps values that JSON has no type for.
extension Parameters: EncodedForm {
    package static func content(
        of value: any Encodable, inside depth: Int
    ) throws(EncodingError) -> EncodingNode.Content? {
        switch value {
        case let value as Parameters: return .kept(value)
        case let json as JSON:
            guard let value = try? Parameters(json, depth: depth) else {
                throw refusal(of: json, "More than \(maximumDepth) values lie inside each other.")
            }
            return .kept(value)
        case let value as Date: return .kept(Parameters.date(value))
        case let value as Data: return .kept(Parameters.data(value))
        case let value as URL: return .string(value.absoluteString)
        case let value as Decimal: return .kept(simplest(value))
        case let value as any BinaryInteger:
            guard let integer = Int128(exactly: value) else {
                throw refusal(of: value, "The integer does not fit in a signed integer of 128 bits.")
            }
            return .kept(Parameters.integer(integer))
        default: return nil
        }
    }

    private static func refusal(of value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
    }

    /// The simplest case that has all digits of the value.
    private static func simplest(_ value: Decimal) -> Parameters {
        let text = value.description
        if let integer = Int128(text) { return .integer(integer) }
        guard let number = Double(text), value.isFinite else { return .number(.nan) }
        return .number(value, number)
    }

    /// The encoded value; an empty object if nothing was encoded. The encoder has limited the depth.
    ///
    /// Members of a dictionary are sorted by name and elements of a set by their text, because the order in which Swift
    /// encodes them differs from one run to the next, and from one copy to the next.
    init(_ node: EncodingNode) throws {
        switch node.content {
        case .failed(let error): throw error
        case .nothing: self = .object([])
        case .value(let json): self = try Parameters(json)
        case .int(let value): self = .integer(Int128(value))
        case .uint(let value): self = .integer(Int128(value))
        case .double(let value), .digits(let value, _): self = .number(value)
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .kept(let value): self = value as? Parameters ?? .null
        case .array(let nodes):
            let elements = try nodes.map { try Parameters($0) }
            self = .array(node.firstUnordered == 0 ? Self.sorted(elements) : elements)
        case .object(let members, _):
            let ordered = members.prefix(node.firstUnordered)
            let others = members.dropFirst(ordered.count).inOrder { $0.key < $1.key }
            self = .object(
                try (ordered + others).map { name, node in
                    var member = Member(name, try Parameters(node))
                    if case .kept(nil) = node.content { member.isLeftOut = true }
                    return member
                })
        }
    }

    /// The elements of a set, sorted by their text as JSON.
    private static func sorted(_ elements: [Parameters]) -> [Parameters] {
        elements.map { (text: (try? JSON(encoding: $0))?.description ?? "", value: $0) }.inOrder { $0.text < $1.text }
            .map(\.value)
    }
}
