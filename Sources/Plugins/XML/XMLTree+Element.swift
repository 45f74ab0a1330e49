import PatchbayPlatform
import PatchbayRegistry

extension XMLTree {
    /// One element: a view into its tree. A copy is cheap.
    public struct Element: Sendable {
        let nodes: XMLNodeList
        let index: Int

        /// The name as written, with its prefix: `atom:link`.
        public var name: String { nodes.string(of: index) }

        /// The name without its prefix: `link`.
        public var localName: String {
            guard let colon = name.firstIndex(of: ":") else { return name }
            return String(name[name.index(after: colon)...])
        }

        /// The prefix; nil if the name has none.
        public var prefix: String? {
            name.firstIndex(of: ":").map { String(name[..<$0]) }
        }

        /// The attributes, including namespace declarations, sorted by name: XML gives their order no meaning.
        ///
        /// A name is as written, with its prefix. References in a value are resolved, and its white space is normalised
        /// (XML 1.0, section 3.3.3).
        public var attributes: [(name: String, value: String)] { nodes.attributes(of: index) }

        /// The value of the attribute with this name, as written; nil if there is none.
        public func attribute(_ name: String) -> String? {
            nodes.attribute(name, of: index)
        }

        /// The element around this one; nil for the root.
        public var parent: Element? {
            let parent = Int(nodes.nodes[index].parent)
            return parent < 0 ? nil : Element(nodes: nodes, index: parent)
        }

        /// Everything directly inside, in document order.
        public var contents: [Content] {
            childIndices.map { Content(nodes: nodes, index: $0) }
        }

        /// The elements directly inside, in document order.
        public var children: [Element] {
            childIndices.filter { nodes.nodes[$0].kind == .element }.map { Element(nodes: nodes, index: $0) }
        }

        /// The elements directly inside that have this name, as written.
        public func children(named name: String) -> [Element] {
            children.filter { $0.name == name }
        }

        /// The first element directly inside that has this name, as written.
        public subscript(name: String) -> Element? {
            children.first { $0.name == name }
        }

        /// All text inside, at any depth, including CDATA. White space is not trimmed.
        public var text: String { nodes.text(of: descendants) }

        /// The indices of all nodes inside, at any depth.
        var descendants: Range<Int> { (index + 1)..<nodes.end(of: index) }

        /// The indices of all nodes directly inside.
        var childIndices: [Int] {
            var indices: [Int] = []
            var next = index + 1
            while next < descendants.upperBound {
                indices.append(next)
                next = nodes.end(of: next)
            }
            return indices
        }
    }

    /// One node inside an element.
    public enum Content: Sendable, Hashable {
        case element(Element)
        case text(String)
        case cdata(String)
        case comment(String)
        case processingInstruction(target: String, data: String)

        init(nodes: XMLNodeList, index: Int) {
            self =
                switch nodes.nodes[index].kind {
                case .element: .element(Element(nodes: nodes, index: index))
                case .text: .text(nodes.string(of: index))
                case .cdata: .cdata(nodes.string(of: index))
                case .comment: .comment(nodes.string(of: index))
                case .processingInstruction:
                    .processingInstruction(target: nodes.string(of: index), data: nodes.data(of: index))
                }
        }
    }
}

extension XMLTree.Element: Hashable {
    /// Two elements are equal if their names, attributes and contents are equal. Their parents are not compared.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.descendants.count == right.descendants.count else { return false }
        return (0...left.descendants.count).allSatisfy { offset in
            let one = left.index + offset
            let other = right.index + offset
            return left.nodes.isSame(one, as: other, of: right.nodes)
                && left.nodes.end(of: one) - one == right.nodes.end(of: other) - other
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for index in descendants { hasher.combine(nodes.string(of: index)) }
    }
}

extension XMLTree.Element: CustomStringConvertible, CustomReflectable {
    /// The element as XML.
    public var description: String { nodes.xml(of: index) }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension XMLTree.Content: CustomStringConvertible {
    /// The node as XML; a text node gives its characters unescaped.
    public var description: String {
        switch self {
        case .element(let element): element.description
        case .text(let text): text
        case .cdata(let text): "<![CDATA[\(text)]]>"
        case .comment(let text): "<!--\(text)-->"
        case .processingInstruction(let target, let data): "<?\(target) \(data)?>"
        }
    }
}
