// `Decodable` types out of trees of text that were read already: XML, property lists, rows of CSV. JSON has a decoder of its own.

import PatchbayJSON
import PatchbayPlatform

/// The decoder of one node of a tree that has been read, and the container of it as a single value.
///
/// It is also the node of the coding path, which is read off when it is asked for.
final class NodeDecoder<Node: DecodingNode>: Decoder {
    /// How many values may lie inside each other, as in JSON: a type recurses as its document does, and so must not be able to
    /// exhaust the stack.
    private static var maximumDepth: Int { 512 }

    let node: Node
    private let parent: NodeDecoder?
    private let key: (any CodingKey)?
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

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var decoder: NodeDecoder? = self
        while let current = decoder {
            if let key = current.key { path.append(key) }
            decoder = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        do throws(DecodingRefusal) {
            return KeyedDecodingContainer(NodeMembers<Node, Key>(self, try node.members()))
        } catch {
            throw failure(error, [String: Any].self)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        do throws(DecodingRefusal) {
            return NodeElements(self, try node.elements())
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
        return try Value(from: child(Self.isNil(type, node) ? .null : node, key))
    }

    func child(_ node: Node, _ key: any CodingKey) throws -> NodeDecoder {
        guard depth < Self.maximumDepth else {
            throw failure(.corrupted("more than \(Self.maximumDepth) values lie inside each other"), Any.self, key)
        }
        return NodeDecoder(node, self, key, depth: depth + 1)
    }

    /// The error for this node or, with a key, for one inside.
    func failure(_ refusal: DecodingRefusal, _ type: Any.Type, _ key: (any CodingKey)? = nil) -> DecodingError {
        var path = codingPath + (key.map { [$0] } ?? [])
        func context(_ description: String, _ cause: (any Error)? = nil) -> DecodingError.Context {
            DecodingError.Context(codingPath: path, debugDescription: description, underlyingError: cause)
        }
        switch refusal {
        case .absent:
            guard let missing = path.popLast() else { return .valueNotFound(type, context("There is nothing.")) }
            return .keyNotFound(missing, context("There is no \"\(missing.stringValue)\"."))
        case .null: return .valueNotFound(type, context("Expected \(type) but found null."))
        case .mismatch(let found): return .typeMismatch(type, context("Expected \(type) but found \(found)."))
        case .corrupted(let reason): return .dataCorrupted(context("\(reason).", InvalidValue(description: reason)))
        }
    }
}

extension NodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { node.isNull }

    // Without these two the protocol's own, which throw, would be preferred to the one for every type.
    func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

    private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do throws(DecodingRefusal) {
            if let scalar = try node.scalar(type) { return scalar }
        } catch {
            throw failure(error, type)
        }
        return try Value(from: Self.isNil(type, node) ? NodeDecoder(.null, parent, key, depth: depth) : self)
    }

    /// Whether the type is an optional that is nil at the node. An optional asks whether there is null and not of what type.
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

/// What is wrong with a value that no type of error says.
private struct InvalidValue: Error, SafeToPrint {
    let description: String
}

/// A part of a document as values are decoded from it: all that a format has to say for `NodeDecoder` to be its decoder.
protocol DecodingNode {
    associatedtype Members: DecodingMembers where Members.Node == Self

    /// What a key that is not there stands for; nil where nothing can be decoded from it.
    static var absent: Self? { get }
    /// A node that stands for no value.
    static var null: Self { get }

    var isNull: Bool { get }

    /// Whether an optional of this type is nil here.
    func isNil(as type: any Decodable.Type) -> Bool

    /// What is found in it by key.
    func members() throws(DecodingRefusal) -> Members

    /// What is found in it in order.
    func elements() throws(DecodingRefusal) -> [Self]

    /// The value of a type that the format writes as one; nil for every other type, which decodes itself.
    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value?
}

/// What is found in a node by key.
protocol DecodingMembers {
    associatedtype Node

    /// Each key by which something is found, in the order of the document.
    var keys: [String] { get }

    func member(_ key: String) -> Node?
}

/// Why a node is not of a type: a `DecodingError` without its place.
enum DecodingRefusal: Error {
    /// Nothing is there.
    case absent
    /// It stands for no value.
    case null
    /// It is something else.
    case mismatch(found: String)
    /// It is of the kind, and not valid; in words without any of the content.
    case corrupted(String)
}
