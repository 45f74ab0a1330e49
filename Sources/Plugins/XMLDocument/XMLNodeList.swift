/// The nodes of a document in document order: flat, so that neither reading nor releasing a deep document recurses.
///
/// A node's descendants follow it directly, up to its `end`.
final class XMLNodeList: Sendable {
    struct Node: Sendable, Hashable {
        enum Kind: Sendable, Hashable { case element, text, cdata, comment, processingInstruction }

        let kind: Kind
        /// The name of an element as written, or the target of a processing instruction.
        let name: String
        /// The text of anything but an element.
        var text: String
        var attributes: [XMLTree.Attribute] = []
        /// The index of the element around it; -1 for nodes beside the root.
        let parent: Int
        /// One past the index of its last descendant.
        var end: Int
    }

    let nodes: [Node]
    let root: Int

    init(nodes: [Node], root: Int) {
        self.nodes = nodes
        self.root = root
    }
}
