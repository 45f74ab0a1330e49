/// Collects the events of one parse into a list of nodes.
final class XMLNodeListBuilder {
    private let maximumNodes: Int
    private var nodes: [XMLNodeList.Node] = []
    private var strings: [String] = []
    private var attributes: [XMLTree.Attribute] = []
    private var open: [Int] = []
    private var root: Int?
    /// Where the names seen so far are, as long as there are not too many of them.
    private var names: [String: Int] = [:]

    /// - Parameter expectedNodes: about how many nodes there will be, so that lists need not move while they grow.
    init(expectedNodes: Int, maximumNodes: Int) {
        // Indices of nodes have 31 bits.
        self.maximumNodes = min(maximumNodes, Int(Int32.max) / 2)
        nodes.reserveCapacity(min(expectedNodes, self.maximumNodes))
    }

    /// - Throws: the failure without a place, once there are too many nodes.
    func take(_ event: XMLEvent) throws(XMLFailure) {
        switch event {
        case .end:
            if let index = open.popLast() { nodes[index].end = UInt32(nodes.count) }
        case .start(let name, let attributes): try start(name, attributes)
        case .text(let text): try take(text)
        case .cdata(let text): try append(.cdata, text)
        case .comment(let text): try append(.comment, text)
        case .processingInstruction(let target, let data):
            try append(.processingInstruction, target)
            strings.append(data ?? "")
        }
    }

    func finish() throws(XMLFailure) -> XMLNodeList {
        guard let root else { throw XMLFailure(.noRootElement, "there is no complete root element") }
        return XMLNodeList(nodes: nodes, strings: strings, attributes: attributes, root: root)
    }

    private func start(_ name: String, _ attributes: [String: String]) throws(XMLFailure) {
        if root == nil { root = nodes.count }
        let index = nodes.count
        try append(.element, name, attributes: attributes.count)
        nodes[index].firstAttribute = UInt32(self.attributes.count)
        nodes[index].attributeCount = UInt32(attributes.count)
        self.attributes += attributes.map { XMLTree.Attribute(name: $0.key, value: $0.value) }.sorted {
            $0.name < $1.name
        }
        open.append(index)
    }

    private func take(_ text: String) throws(XMLFailure) {
        // A run of text comes in pieces; it is one node, and its string is the last one.
        if let last = nodes.last, last.kind == .text, last.parent == parent, let string = strings.indices.last {
            strings[string] += text
        } else {
            try append(.text, text)
        }
    }

    private var parent: Int32 { Int32(open.last ?? -1) }

    private func append(
        _ kind: XMLNodeList.Node.Kind, _ string: String, attributes: Int = 0
    ) throws(XMLFailure) {
        guard nodes.count + self.attributes.count + attributes < maximumNodes else {
            throw XMLFailure(.nodes, "it has more than \(maximumNodes) nodes and attributes")
        }
        let place = UInt32(kind == .element ? place(ofName: string) : strings.count)
        if kind != .element { strings.append(string) }
        nodes.append(XMLNodeList.Node(kind: kind, parent: parent, end: UInt32(nodes.count + 1), string: place))
    }

    private func place(ofName name: String) -> Int {
        if let known = names[name] { return known }
        strings.append(name)
        if names.count < 4_096 { names[name] = strings.count - 1 }
        return strings.count - 1
    }
}
