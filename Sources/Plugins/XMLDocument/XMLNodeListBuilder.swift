/// Collects the events of one parse into a list of nodes.
final class XMLNodeListBuilder {
    private var nodes: [XMLNodeList.Node] = []
    private var open: [Int] = []
    private var root: Int?

    func take(_ event: XMLEvent) {
        switch event {
        case .start(let name, let attributes):
            if root == nil { root = nodes.count }
            let index = append(.element, name)
            nodes[index].attributes = attributes.map { XMLTree.Attribute(name: $0.key, value: $0.value) }
                .sorted { $0.name < $1.name }
            open.append(index)
        case .end:
            if let index = open.popLast() { nodes[index].end = nodes.count }
        case .text(let text):
            // A run of text comes in pieces; it is one node.
            if let last = nodes.indices.last, nodes[last].kind == .text, nodes[last].parent == parent {
                nodes[last].text += text
            } else {
                append(.text, text: text)
            }
        case .cdata(let text): append(.cdata, text: text)
        case .comment(let text): append(.comment, text: text)
        case .processingInstruction(let target, let data):
            append(.processingInstruction, target, text: data ?? "")
        }
    }

    func finish() throws(XMLFailure) -> XMLNodeList {
        guard let root else { throw XMLFailure(.noRootElement, "there is no complete root element") }
        return XMLNodeList(nodes: nodes, root: root)
    }

    private var parent: Int { open.last ?? -1 }

    @discardableResult
    private func append(_ kind: XMLNodeList.Node.Kind, _ name: String = "", text: String = "") -> Int {
        nodes.append(XMLNodeList.Node(kind: kind, name: name, text: text, parent: parent, end: nodes.count + 1))
        return nodes.count - 1
    }
}
