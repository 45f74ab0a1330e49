import PatchbayJSON
import PatchbayPlatform

extension XMLTree {
    /// Decodes a type from the root element, by the rules of ``XMLTree/Element/decode(_:)``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try root.decode(type) }
}

extension XMLTree.Element {
    /// Decodes a type from this element.
    ///
    /// ```swift
    /// struct Feed: Decodable {
    ///     struct Item: Decodable { let title: String, pubDate: Date?, category: [String] }
    ///     struct Channel: Decodable { let title: String, item: [Item] }
    ///     let version: String  // an attribute
    ///     let channel: Channel
    /// }
    /// ```
    ///
    /// **Keys.** A key finds the elements directly inside that have this name as written, else those that have this
    /// local name, else the attribute that has this name as written, else the only attribute that has this local name.
    /// `@name` finds only the attribute, `#text` the text directly inside. Namespace declarations are not found. Names
    /// are compared character by character.
    ///
    /// **Arrays.** Under a key, an array contains all elements with the name: an array of one for one element, an empty
    /// array for none. A type that is not an array is decoded from one element, and several are an error. An element
    /// without its own key (the root, or an element of an array) decodes as an array of the elements inside, whatever
    /// their names.
    ///
    /// **Dictionaries** have a key for each name inside: the local name, or the name as written if several names share
    /// the local name. An attribute has this key if no element has it, else the key with `@` in front. `#text` is a key
    /// if there is text other than white space.
    ///
    /// **Text.** An element with elements inside can't be decoded as text. A `String` is the text as it is, including
    /// CDATA. For every other type, white space around the text is ignored: a `Bool` is `true`, `false`, `1` or `0`; an
    /// integer is decimal digits with or without a sign; a `Double` or `Float` is a decimal number, `INF`, `-INF` or
    /// `NaN`; a `Decimal` has no exponent; `Data` is Base64; a `Date` is `2001-01-01T00:00:00Z`, with or without a
    /// fraction, or has the form of mail, `Sat, 07 Sep 2002 00:00:01 GMT`. Both forms of a `Date` need an offset.
    ///
    /// **JSON.** The value of an attribute is text, and so is an element without attributes and without elements
    /// inside. Text becomes a number if it is one in JSON (its digits are kept), a Boolean if it is `true` or `false`,
    /// else a string. Every other element becomes an object, with the keys of a dictionary.
    ///
    /// **Nil.** An optional is nil if its element or attribute is missing, or if the element has `xsi:nil="true"`. For
    /// every type under "Text" except `String` and `Data`, it is also nil if the text is nothing but white space.
    ///
    /// Values can be nested up to 512 levels deep.
    /// - Throws: `DecodingError` with the coding path of the value.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try NodeDecoder(XMLDecodingNode.element(self)).decode(type)
    }
}

enum XMLDecodingNode {
    /// An element without its own key.
    case element(XMLTree.Element)
    /// The elements under a key.
    case elements([XMLTree.Element])
    /// The value of an attribute, or the text of an element that is decoded without the element.
    case text(String)
}

extension XMLDecodingNode: DecodingNode {
    static var absent: XMLDecodingNode? { .elements([]) }
    static var null: XMLDecodingNode { .elements([]) }

    var isNull: Bool {
        switch self {
        case .element(let element): element.isNil
        case .elements(let elements): elements.isEmpty || elements.count == 1 && elements[0].isNil
        case .text: false
        }
    }

    func isNil(as type: any Decodable.Type) -> Bool {
        if isNull { return true }
        guard let scalar = type as? any TextScalar.Type, !scalar.takesEmptyText, let text = try? text() else {
            return false
        }
        return ScalarText.trimmed(text).isEmpty
    }

    func members() throws(DecodingRefusal) -> XMLMembers {
        guard let element = try element() else { throw .mismatch(found: "text") }
        return XMLMembers(of: element)
    }

    func elements() throws(DecodingRefusal) -> [XMLDecodingNode] {
        switch self {
        case .element(let element): element.children.map { .element($0) }
        case .elements(let elements): elements.map { .element($0) }
        case .text: throw .mismatch(found: "text")
        }
    }

    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value? {
        if type == JSON.self { return try json() as? Value }
        guard let scalar = type as? any TextScalar.Type else { return nil }
        if case .elements(let elements) = self, elements.isEmpty { throw .absent }
        if isNull { throw .null }
        guard let value = scalar.read(try text()) as? Value else { throw .mismatch(found: "other text") }
        return value
    }

    /// The value of text alone, or null; nil for anything else, which `JSON` decodes by itself.
    private func json() throws(DecodingRefusal) -> JSON? {
        if case .elements(let elements) = self {
            if elements.isEmpty { throw .absent }
            if elements.count > 1 { return nil }
        }
        if isNull { return JSON.null }
        if let element = try element(), XMLMembers(of: element).memberKeys.contains(where: { $0 != XMLMembers.text }) {
            return nil
        }
        return ScalarText.json(try text())
    }

    private func text() throws(DecodingRefusal) -> String {
        guard let element = try element() else {
            if case .text(let text) = self { return text }
            throw .absent
        }
        guard !element.hasChildren else { throw .mismatch(found: "an element with elements inside") }
        return element.ownText
    }

    /// The only element; nil for text.
    private func element() throws(DecodingRefusal) -> XMLTree.Element? {
        switch self {
        case .element(let element): return element
        case .text: return nil
        case .elements(let elements):
            guard let first = elements.first else { throw .absent }
            guard elements.count == 1 else {
                throw .corrupted("there are \(elements.count) elements of this name, and the type takes one")
            }
            return first
        }
    }
}

extension XMLTree.Element {
    fileprivate var isNil: Bool { nodes.nodes[index].isNil }

    fileprivate var hasChildren: Bool { childIndices.contains { nodes.nodes[$0].kind == .element } }

    var ownText: String { nodes.text(of: childIndices) }
}

/// The elements, attributes and text inside an element, by the keys of `XMLTree.Element.decode`.
///
/// The names of elements and attributes are collected once, so that requesting every name takes time linear in the size
/// of the element.
struct XMLMembers: DecodingMembers {
    private let element: XMLTree.Element
    private var elements = Names()
    private var attributes = Names()

    private struct Names {
        typealias Name = ArraySlice<UInt8>

        private var written: [Name: [Int]] = [:]
        private var local: [Name: (places: [Int], spellings: Int)] = [:]
        /// Each name as written, with its local name.
        private var order: [(written: Name, local: Name)] = []

        mutating func add(_ name: (written: Name, local: Name), at place: Int) {
            if written[name.written] == nil {
                order.append(name)
                local[name.local, default: ([], 0)].spellings += 1
            }
            written[name.written, default: []].append(place)
            local[name.local, default: ([], 0)].places.append(place)
        }

        func places(of key: Name) -> [Int] { written[key] ?? local[key]?.places ?? [] }

        /// For each name, the shortest key that finds that name alone.
        var keys: [String] {
            order.map { name in
                String(decoding: local[name.local]?.spellings == 1 ? name.local : name.written, as: UTF8.self)
            }
        }
    }

    init(of element: XMLTree.Element) {
        self.element = element
        let nodes = element.nodes
        for index in element.childIndices where nodes.nodes[index].kind == .element {
            elements.add((nodes.bytes(nodes.nodes[index].string), nodes.name(of: index).local), at: index)
        }
        for index in nodes.attributeRange(of: element.index) {
            let written = nodes.bytes(nodes.attributes[index].name)
            let (prefix, local) = nodes.split(nodes.attributes[index].name)
            let isDeclaration = (prefix.isEmpty ? local : prefix).elementsEqual("xmlns".utf8)
            if !isDeclaration { attributes.add((written, local), at: index) }
        }
    }

    var memberKeys: [String] {
        let text = ScalarText.trimmed(element.ownText).isEmpty ? [] : [Self.text]
        let attributes = attributes.keys.map { key in
            elements.places(of: Array(key.utf8)[...]).isEmpty ? key : "@\(key)"
        }
        return elements.keys + attributes + text
    }

    func member(_ key: String) -> XMLDecodingNode? {
        if key == Self.text { return .text(element.ownText) }
        if key.hasPrefix("@") { return attribute(Array(key.utf8.dropFirst())[...]) }
        let name = Array(key.utf8)[...]
        let places = elements.places(of: name)
        if places.isEmpty { return attribute(name) }
        return .elements(places.map { XMLTree.Element(nodes: element.nodes, index: $0) })
    }

    static let text = "#text"

    private func attribute(_ name: ArraySlice<UInt8>) -> XMLDecodingNode? {
        let places = attributes.places(of: name)
        guard places.count == 1 else { return nil }
        let nodes = element.nodes
        return .text(nodes.string(nodes.attributes[places[0]].value))
    }
}
