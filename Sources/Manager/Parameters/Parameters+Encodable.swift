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

    /// The name of a member as a coding key.
    struct Name: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init(intValue: Int) {
            stringValue = "Index \(intValue)"
            self.intValue = intValue
        }
    }
}
