import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// Names and values of a query, in their order. A name can occur several times.
///
///     try await manager.get("search", query: ["q": "green tea", "tag": "hot", "tag": "new"])
///     try await manager.get("search", query: ["q": text, "page": page])  // variables: text, numbers, bools, optionals
///     try await manager.get("search", query: QueryItems(encoding: filter))  // the members of an Encodable value
///     try await manager.get("search", query: QueryItems(filters))  // of [String: String], [URLQueryItem] and the like
///
/// Each name and each value is percent-encoded when it is sent, except for letters, digits and `-._~/?`. A space
/// becomes `%20`, and `&`, `=` and `+` are encoded too.
public struct QueryItems: Sendable {
    public typealias Element = (name: String, value: String)

    private var items: [Element] = []

    public init() {}

    /// The pairs of a dictionary, sorted by name.
    public init(_ values: [String: String]) {
        items = values.inOrder { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Foundation's query items. An item without a value gets the empty value (WHATWG URL, section 5.1).
    public init(_ items: some Sequence<URLQueryItem>) {
        self.items = items.map { ($0.name, $0.value ?? "") }
    }

    /// The members of a value, named as in a form: members of a nested object as `object[member]`, each element of an
    /// array under the array's name, a date as ISO 8601, bytes in Base64. Nil members are left out. Members and elements
    /// keep their order; those of a dictionary or a set, which have none, are sorted.
    ///
    ///     try await manager.get("search", query: QueryItems(encoding: filter), as: [Hit].self)
    /// - Throws: `SessionError` with code `invalidRequest` if the value has no members or cannot be encoded.
    public init(encoding value: some Encodable) throws(SessionError) {
        let pairs: [FormPair]?
        do {
            pairs = try EncodingNode.tree(of: value).members.map { try FormWriter().pairs(of: $0) }
        } catch {
            throw SessionError(
                .invalidRequest, "the query could not be made: its value could not be encoded", cause: error)
        }
        guard let pairs else {
            throw SessionError(
                .invalidRequest, "the query could not be made: a query or a form needs an object with named members")
        }
        items = pairs.map { ($0.name, $0.text) }
    }

    /// `name=value&…`
    var encoded: String { FormEscape.query.text(of: items) }
}

extension QueryItems: RandomAccessCollection, RangeReplaceableCollection, MutableCollection {
    public var startIndex: Int { items.startIndex }
    public var endIndex: Int { items.endIndex }

    public subscript(position: Int) -> Element {
        get { items[position] }
        set { items[position] = newValue }
    }

    public mutating func replaceSubrange(_ range: Range<Int>, with replacement: some Collection<Element>) {
        items.replaceSubrange(range, with: replacement)
    }
}

extension QueryItems: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Pairs in the order of the literal. Two pairs with one name are both kept. A value is a text, a number or a bool
    /// (`true`, `false`); a pair with nil is left out.
    public init(dictionaryLiteral pairs: (String, (any LosslessStringConvertible)?)...) {
        items = pairs.compactMap { name, value in value.map { (name, $0.description) } }
    }

    public init(arrayLiteral items: Element...) {
        self.items = items
    }
}

extension QueryItems: Hashable {
    public static func == (one: QueryItems, other: QueryItems) -> Bool {
        one.elementsEqual(other, by: ==)
    }

    public func hash(into hasher: inout Hasher) { items.combinePairs(into: &hasher) }
}

extension QueryItems: CustomStringConvertible, CustomReflectable {
    /// The names alone, because a value can be a secret.
    public var description: String { "[" + map(\.name).joined(separator: ", ") + "]" }
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: map(\.name), displayStyle: .collection) }
}
