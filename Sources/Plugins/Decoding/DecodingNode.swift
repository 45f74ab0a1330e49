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
