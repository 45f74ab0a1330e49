import PatchbayPlatform

/// A value that is a tree of values without being encoded.
package protocol EncodedTree: Encodable {
    /// - Parameter depth: the number of values around this one.
    /// - Returns: nil if more than 512 values lie inside each other.
    func content(inside depth: Int) -> EncodingNode.Content?
}

extension EncodedTree {
    package static func nodes(_ values: some Collection<Self>, inside depth: Int) -> [EncodingNode]? {
        guard depth < ValueEncoder.maximumDepth || values.isEmpty else { return nil }
        var nodes: [EncodingNode] = []
        for value in values {
            guard let content = value.content(inside: depth + 1) else { return nil }
            nodes.append(EncodingNode(content))
        }
        return nodes
    }
}

extension EncodingNode {
    /// The encoded value for other formats than JSON, without `nothing`, `value` and `failed`: dates and bytes stay as
    /// they are, integers beyond 64 bits are `digits`, and an optional member that is nil is `absent`.
    ///
    /// Members of a dictionary are sorted by name and elements of a `Set` by their text, because the order in which
    /// Swift encodes them differs from one run to the next, and from one copy to the next.
    /// - Throws: `EncodingError`, for example for a value that encodes nothing, or the error that the value throws.
    package static func tree(of value: some Encodable) throws -> EncodingNode {
        var options = JSON.CodingOptions()
        options.keepsTypes = true
        let node = try JSON.node(encoding: value, options)
        try node.settle()
        return node
    }

    /// The encoder has limited the depth.
    private func settle() throws {
        switch content {
        case .failed(let error): throw error
        case .nothing: content = .object([], places: [:])
        case .array(let nodes):
            for node in nodes { try node.settle() }
            guard firstUnordered == 0 else { return }
            content = .array(nodes.map { (text: $0.text, node: $0) }.inOrder { $0.text < $1.text }.map(\.node))
        case .object(let members, _):
            for member in members { try member.node.settle() }
            guard firstUnordered < members.count else { return }
            let others = members[firstUnordered...].inOrder { $0.key < $1.key }
            content = .object(members[..<firstUnordered] + others, places: [:])
        default: break
        }
    }

    /// The text as JSON, by which elements of a set are sorted.
    private var text: String {
        var builder = TapeBuilder()
        do { try write(to: &builder) } catch { return "" }
        return JSON(builder.finish()).description
    }
}

extension EncodingNode.Content {
    /// A number as a Double if the Double has all digits of the number.
    static func number(_ value: Decimal, _ double: Double) -> Self {
        Decimal(string: double.description) == value ? .double(double) : .digits(double, value.description)
    }
}

extension JSON: EncodedTree {
    package func content(inside depth: Int) -> EncodingNode.Content? {
        switch kind {
        case .null: return .null
        case .bool: return .bool(bool ?? false)
        case .string: return .string(string ?? "")
        case .number:
            // Keeps the written form: 1.0 is not an integer.
            if let value = int, value.description == description { return .int(Int64(value)) }
            if let value = uint, value.description == description { return .uint(UInt64(value)) }
            return decimal.map { .number($0, double ?? 0) } ?? .double(double ?? 0)
        case .array: return Self.nodes(array ?? [], inside: depth).map { .array($0) }
        case .object:
            let members = object ?? []
            return Self.nodes(members.map(\.value), inside: depth).map {
                .object(zip(members, $0).map { ($0.key, $1) }, places: [:])
            }
        }
    }
}
