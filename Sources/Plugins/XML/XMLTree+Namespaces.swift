/// Look-ups by namespace (Namespaces in XML 1.0). The writer chooses a prefix, so a prefix means nothing by itself.
///
/// ```swift
/// let atom = "http://www.w3.org/2005/Atom"
/// let links = channel.children(named: "link", namespace: atom)
/// let title = channel["title", namespace: atom]?.text
/// let language = channel.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")
/// ```
///
/// Names and namespaces are compared character by character. Nil means no namespace, and so does an empty string.
/// Nothing is kept between look-ups: each searches the declarations around the element, the nearest first.
extension XMLTree.Element {
    /// The namespace of the prefix or, without a prefix, the default namespace (section 6); nil for none.
    public var namespace: String? {
        nodes.namespace(of: nodes.name(of: index).prefix, at: index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The elements directly inside that have this local name and are in this namespace.
    public func children(named localName: String, namespace: String?) -> [XMLTree.Element] {
        var wanted = XMLNamespaceTest(localName, namespace, nodes)
        return children.filter { wanted.passes($0.index) }
    }

    /// The first element directly inside that has this local name and is in this namespace.
    public subscript(localName: String, namespace namespace: String?) -> XMLTree.Element? {
        var wanted = XMLNamespaceTest(localName, namespace, nodes)
        return children.first { wanted.passes($0.index) }
    }

    /// The value of the attribute that has this local name and is in this namespace; nil if there is none.
    ///
    /// An attribute without a prefix is in no namespace, whatever the default namespace is (section 6.2). Namespace
    /// declarations are attributes too, in the namespace `http://www.w3.org/2000/xmlns/`.
    public func attribute(_ localName: String, namespace: String?) -> String? {
        XMLNamespaceTest(localName, namespace, nodes).value(on: index).map { nodes.string($0) }
    }
}

/// Tests whether sibling elements, or the attributes of one element, have a name in a namespace.
private struct XMLNamespaceTest {
    private let nodes: XMLNodeList
    private let localName: [UInt8]
    /// Nil for no namespace.
    private let namespace: [UInt8]?
    /// The result for each prefix that the elements don't declare themselves. Without it, looking up many elements
    /// under many declarations would take time that grows with the product of the two numbers.
    private var known: [ArraySlice<UInt8>: Bool] = [:]

    init(_ localName: String, _ namespace: String?, _ nodes: XMLNodeList) {
        self.nodes = nodes
        self.localName = Array(localName.utf8)
        self.namespace = namespace.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }

    mutating func passes(_ index: Int) -> Bool {
        let (prefix, local) = nodes.name(of: index)
        guard local.elementsEqual(localName) else { return false }
        if let own = nodes.declaration(of: prefix, on: index) { return isWanted(own.isEmpty ? nil : own) }
        if let known = known[prefix] { return known }
        let result = isWanted(nodes.namespace(of: prefix, at: index))
        known[prefix] = result
        return result
    }

    func value(on index: Int) -> XMLNodeList.Piece? {
        for attribute in nodes.attributes[nodes.attributeRange(of: index)] {
            let (prefix, local) = nodes.split(attribute.name)
            guard local.elementsEqual(localName) else { continue }
            // `xmlns` is a declaration, although it has no prefix.
            let isNone = prefix.isEmpty && !local.elementsEqual("xmlns".utf8)
            let found = isNone ? nil : nodes.namespace(of: prefix.isEmpty ? local : prefix, at: index)
            if isWanted(found) { return attribute.value }
        }
        return nil
    }

    private func isWanted(_ found: ArraySlice<UInt8>?) -> Bool {
        guard let found, let namespace else { return found == nil && namespace == nil }
        return found.elementsEqual(namespace)
    }
}

extension XMLNodeList {
    private static let xml = Array("http://www.w3.org/XML/1998/namespace".utf8)[...]
    private static let xmlns = Array("http://www.w3.org/2000/xmlns/".utf8)[...]

    /// The name of an element, split at its colon; the prefix is empty if there is none.
    func name(of index: Int) -> (prefix: ArraySlice<UInt8>, local: ArraySlice<UInt8>) { split(nodes[index].string) }

    func split(_ name: Piece) -> (prefix: ArraySlice<UInt8>, local: ArraySlice<UInt8>) {
        let name = bytes(name)
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return (name[..<name.startIndex], name) }
        return (name[..<colon], name[(colon + 1)...])
    }

    /// The namespace of the prefix at the element or, for an empty prefix, the default namespace; nil for no namespace.
    func namespace(of prefix: ArraySlice<UInt8>, at index: Int) -> ArraySlice<UInt8>? {
        if prefix.elementsEqual("xml".utf8) { return Self.xml }
        if prefix.elementsEqual("xmlns".utf8) { return Self.xmlns }
        var element = index
        while element >= 0 {
            if let uri = declaration(of: prefix, on: element) { return uri.isEmpty ? nil : uri }
            element = Int(nodes[element].parent)
        }
        return nil
    }

    /// The namespace that the element itself declares for the prefix; empty if it resets the default namespace.
    func declaration(of prefix: ArraySlice<UInt8>, on index: Int) -> ArraySlice<UInt8>? {
        guard nodes[index].attributeCount > 0 else { return nil }
        return value(of: Array("xmlns".utf8) + (prefix.isEmpty ? [] : [UInt8(ascii: ":")]) + prefix, on: index)
    }

    /// The value of the attribute with this name. Attributes are sorted by the bytes of their names, so a binary search
    /// among a thousand attributes takes ten comparisons.
    private func value(of name: [UInt8], on index: Int) -> ArraySlice<UInt8>? {
        var range = attributeRange(of: index)
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = bytes(attributes[middle].name)
            if found.elementsEqual(name) { return bytes(attributes[middle].value) }
            range =
                found.lexicographicallyPrecedes(name)
                ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    func bytes(_ piece: Piece) -> ArraySlice<UInt8> { text[Int(piece.lowerBound)..<Int(piece.upperBound)] }
}
