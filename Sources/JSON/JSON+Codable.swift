extension JSON: Codable {
    /// Decodes from any decoder. A value from `JSON.decode` is a part of the same document; with other decoders, the
    /// value is rebuilt. If another decoder can decode a value both as a number and as a Bool, it becomes a number.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            decoder.session.audit?.takeWhole(decoder.json)
            self = decoder.json
            return
        }
        self = try Part(from: decoder).json
    }

    /// A number, a Bool, a string or null.
    fileprivate init(from value: any SingleValueDecodingContainer) throws {
        if value.decodeNil() {
            self = .null
        } else if let int = try? value.decode(Int64.self) {
            self.init(int)
        } else if let uint = try? value.decode(UInt64.self) {
            self.init(uint)
        } else if let double = try? value.decode(Double.self) {
            self.init(double)
        } else if let bool = try? value.decode(Bool.self) {
            self.init(bool)
        } else {
            self.init(try value.decode(String.self))
        }
    }

    /// Encodes to any encoder, integers as integers.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder { return try encoder.encode(self) }
        if let members = object {
            try checkDepth(of: encoder)
            var container = encoder.container(keyedBy: PathKey.self)
            for (key, value) in members { try container.encode(value, forKey: PathKey.name(key)) }
            return
        }
        if let elements = array {
            try checkDepth(of: encoder)
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
            return
        }
        var container = encoder.singleValueContainer()
        switch (number, bool, string) {
        case (.int(let value), _, _): try container.encode(value)
        case (.uint(let value), _, _): try container.encode(value)
        case (.double(let value), _, _): try container.encode(value)
        case (_, let value?, _): try container.encode(value)
        case (_, _, let value?): try container.encode(value)
        default: try container.encodeNil()
        }
    }

    /// A value built in code can be deeper than the stack of a recursive encoder.
    private func checkDepth(of encoder: any Encoder) throws {
        guard encoder.codingPath.count > ValueEncoder.maximumDepth else { return }
        let context = EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "More than \(ValueEncoder.maximumDepth) values lie inside each other.")
        throw EncodingError.invalidValue(self, context)
    }
}

/// A decoder that knows the JSON of some values; nil for the others.
package protocol JSONLeafDecoder: Decoder {
    func leaf() throws -> JSON?
}

/// A value from another decoder, of which one document is made at the end: one for each level would copy all below it.
private enum Part: Decodable {
    case object([(key: String, value: Part)])
    case array([Part])
    case leaf(JSON)

    init(from decoder: any Decoder) throws {
        if let leaf = try (decoder as? any JSONLeafDecoder)?.leaf() {
            self = .leaf(leaf)
        } else if let members = try? decoder.container(keyedBy: PathKey.self) {
            self = .object(try members.allKeys.map { ($0.stringValue, try members.decode(Part.self, forKey: $0)) })
        } else if var elements = try? decoder.unkeyedContainer() {
            var parts: [Part] = []
            while !elements.isAtEnd { parts.append(try elements.decode(Part.self)) }
            self = .array(parts)
        } else {
            self = .leaf(try JSON(from: decoder.singleValueContainer()))
        }
    }

    var json: JSON {
        if case .leaf(let json) = self { return json }
        return JSON { write(to: &$0) }
    }

    private func write(to builder: inout TapeBuilder) {
        switch self {
        case .object(let members):
            let start = builder.open(Tag.object)
            for member in members {
                builder.string(member.key)
                member.value.write(to: &builder)
            }
            builder.close(start, count: members.count)
        case .array(let parts):
            let start = builder.open(Tag.array)
            for part in parts { part.write(to: &builder) }
            builder.close(start, count: parts.count)
        case .leaf(let json): builder.copy(json.tape, at: json.index)
        }
    }
}
