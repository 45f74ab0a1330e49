// Decodes `Decodable` types from parsed trees: XML, property lists, rows of CSV. `ValueDecoder` decodes them from JSON.

import PatchbayJSON
import PatchbayPlatform

/// The decoder of one node of a parsed tree, and the single-value container of that node.
///
/// A decoder is also an element of the coding path, which is built from the parents on request.
final class NodeDecoder<Node: DecodingNode>: Decoder, CodingNode {
    let node: Node
    let parent: NodeDecoder?
    let key: (any CodingKey)?
    private let depth: Int

    convenience init(_ node: Node) {
        self.init(node, nil, nil, depth: 0)
    }

    private init(_ node: Node, _ parent: NodeDecoder?, _ key: (any CodingKey)?, depth: Int) {
        self.node = node
        self.parent = parent
        self.key = key
        self.depth = depth
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        do throws(DecodingRefusal) {
            return KeyedDecodingContainer(NodeMembers<Node, Key>(decoder: self, members: try node.members()))
        } catch {
            throw failure(error, [String: Any].self)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        do throws(DecodingRefusal) {
            return NodeElements(decoder: self, nodes: try node.elements())
        } catch {
            throw failure(error, [Any].self)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func value<Value: Decodable>(_ type: Value.Type, of node: Node, _ key: any CodingKey) throws -> Value {
        do throws(DecodingRefusal) {
            if let scalar = try node.scalar(type) { return scalar }
        } catch {
            throw failure(error, type, key)
        }
        return try type.init(from: child(Self.isNil(type, node) ? .null : node, key))
    }

    /// The decoder of a node inside. Stops if the call for which the tree is decoded is over.
    func child(_ node: Node, _ key: any CodingKey) throws -> NodeDecoder {
        try Interruption.check()
        guard depth < Self.maximumDepth else {
            throw failure(.corrupted("more than \(Self.maximumDepth) values lie inside each other"), Any.self, key)
        }
        return NodeDecoder(node, self, key, depth: depth + 1)
    }

    /// The error for this node or, with a key, for the node inside it that has this key.
    func failure(_ refusal: DecodingRefusal, _ type: Any.Type, _ key: (any CodingKey)? = nil) -> DecodingError {
        var path = codingPath + (key.map { [$0] } ?? [])
        func context(_ description: String) -> DecodingError.Context {
            DecodingError.Context(codingPath: path, debugDescription: description)
        }
        switch refusal {
        case .absent:
            guard let missing = path.popLast() else { return .valueNotFound(type, context("There is nothing.")) }
            return .keyNotFound(missing, context("There is no \"\(missing.stringValue)\"."))
        case .null: return .valueNotFound(type, context("Expected \(type) but found null."))
        case .mismatch(let found): return .typeMismatch(type, context("Expected \(type) but found \(found)."))
        case .corrupted(let reason): return .invalid(reason, at: path)
        }
    }
}

extension NodeDecoder: JSONLeafDecoder {
    func leaf() throws -> JSON? { try node.scalar(JSON.self) }
}

extension NodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { node.isNull }

    // Without these two functions, the protocol's default implementations, which throw, would be preferred to the
    // generic method.
    func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do throws(DecodingRefusal) {
            if let scalar = try node.scalar(type) { return scalar }
        } catch {
            throw failure(error, type)
        }
        return try type.init(from: Self.isNil(type, node) ? NodeDecoder(.null, parent, key, depth: depth) : self)
    }

    /// Whether the type is an optional that is nil at the node. `Optional` itself only calls `decodeNil()`, which
    /// doesn't know the wrapped type.
    private static func isNil(_ type: any Decodable.Type, _ node: Node) -> Bool {
        guard let optional = type as? any DecodableOptional.Type else { return false }
        return node.isNil(as: optional.wrapped)
    }
}

private protocol DecodableOptional {
    static var wrapped: any Decodable.Type { get }
}

extension Optional: DecodableOptional where Wrapped: Decodable {
    fileprivate static var wrapped: any Decodable.Type { Wrapped.self }
}

/// A part of a document from which values are decoded. `NodeDecoder` uses only this protocol to read a format.
protocol DecodingNode {
    associatedtype Members: DecodingMembers where Members.Node == Self

    /// The node that is decoded for a missing key; nil if a missing key is an error.
    static var absent: Self? { get }
    static var null: Self { get }

    var isNull: Bool { get }

    /// Whether an optional of this type is nil at this node.
    func isNil(as type: any Decodable.Type) -> Bool

    /// The nodes inside, by key.
    func members() throws(DecodingRefusal) -> Members

    /// The nodes inside, in order.
    func elements() throws(DecodingRefusal) -> [Self]

    /// The value of a scalar type of the format; nil for every other type, which then decodes itself.
    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value?
}

/// The nodes inside another node, by key.
protocol DecodingMembers {
    associatedtype Node

    /// Every key that finds a node. The keys of XML and CSV are in the order of the document.
    var memberKeys: [String] { get }

    func member(_ key: String) -> Node?
}

/// The reason that a node can't be decoded as a type: a `DecodingError` without a coding path.
enum DecodingRefusal: Error {
    /// The value is missing.
    case absent
    case null
    /// The value is of another type.
    case mismatch(found: String)
    /// The value has the right type of node, but its content is not valid. The reason contains none of the content.
    case corrupted(String)
}
