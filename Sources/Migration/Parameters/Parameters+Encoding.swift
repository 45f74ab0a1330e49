package import PatchbayJSON
import PatchbayPlatform

/// Encodes parameters with the encoders of JSON and of property lists.
extension Parameters: Encodable {
    /// - Throws: `EncodingError` for a set, which neither format has, and for values too deep for a recursive encoder.
    public func encode(to encoder: any Encoder) throws {
        func single(_ value: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        switch self {
        case .null: try single(Bool?.none)
        case .bool(let value): try single(value)
        case .integer(let value):
            if let value = Int64(exactly: value) { return try single(value) }
            guard let value = UInt64(exactly: value) else {
                throw invalid("The integer does not fit in 64 bits.", encoder)
            }
            try single(value)
        case .number(let value): try single(value)
        case .decimal(let value): try single(value)
        case .string(let value): try single(value)
        case .data(let value): try single(value)
        case .date(let value): try single(value)
        case .array(let elements):
            try checkDepth(encoder)
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .set: throw invalid("A set has no order, and so no form in this format.", encoder)
        case .object(let members):
            try checkDepth(encoder)
            var container = encoder.container(keyedBy: PathKey.self)
            for member in members where !member.isLeftOut {
                try container.encode(member.value, forKey: .name(member.name))
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
}

/// Parameters as the tree that forms are written from, and from the tree of an encoded value.
extension Parameters: EncodedTree {
    package func content(inside depth: Int) -> EncodingNode.Content? {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value):
            return Int64(exactly: value).map { .int($0) } ?? .digits(Double(value), value.description)
        case .number(let value): return .double(value)
        case .decimal(let value): return .digits(Double(value.description) ?? .nan, value.description)
        case .string(let value): return .string(value)
        case .data(let value): return .data(value)
        case .date(let value): return .date(value)
        case .array(let elements): return Self.nodes(elements, inside: depth).map { .array($0) }
        case .set(let elements): return Self.nodes(elements, inside: depth).map { .set($0) }
        case .object(let members):
            return Self.nodes(members.map(\.value), inside: depth).map {
                let nodes = zip(members, $0).map { member, node in
                    (member.name, member.isLeftOut && member.value == .null ? EncodingNode(.absent) : node)
                }
                return .object(nodes, places: [:])
            }
        }
    }

    /// The members of an object.
    package func tree() throws(ParametersFailure) -> [(key: String, node: EncodingNode)] {
        guard case .object = self else {
            throw ParametersFailure("a query or a form needs an object with named members")
        }
        guard let content = content(inside: 0) else { throw Self.tooDeep }
        return EncodingNode(content).members ?? []
    }

    /// - Parameter nilMember: the member that an optional with this name becomes if it is nil; nil to leave it out.
    init(_ tree: EncodingNode, nilMember: (_ name: String) -> Member?) {
        switch tree.content {
        case .null, .absent, .nothing, .value, .failed: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .integer(Int128(value))
        case .uint(let value): self = .integer(Int128(value))
        case .double(let value): self = .number(value)
        case .digits(let value, let text):
            self = Int128(text).map { .integer($0) } ?? Decimal(string: text).map { .decimal($0) } ?? .number(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .array(let nodes): self = .array(nodes.map { Parameters($0, nilMember: nilMember) })
        case .set(let nodes): self = .set(nodes.map { Parameters($0, nilMember: nilMember) })
        case .object(let members, _):
            self = .object(
                members.compactMap { name, node in
                    if case .absent = node.content { return nilMember(name) }
                    return Member(name, Parameters(node, nilMember: nilMember))
                })
        }
    }
}
