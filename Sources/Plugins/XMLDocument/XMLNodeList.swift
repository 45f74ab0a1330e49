/// The nodes of a document in document order: flat, so that neither reading nor releasing a deep document recurses, and small, so
/// that a document of five million nodes fits into memory.
///
/// A node's descendants follow it directly, up to its `end`.
final class XMLNodeList: Sendable {
    struct Node: Sendable {
        enum Kind: UInt8, Sendable { case element, text, cdata, comment, processingInstruction }

        let kind: Kind
        var attributeCount: UInt32 = 0
        /// The element around it; -1 for nodes beside the root.
        let parent: Int32
        /// One past its last descendant.
        var end: UInt32
        /// Its first string: the name of an element, the target of an instruction (its data is the next string), else the text.
        let string: UInt32
        var firstAttribute: UInt32 = 0
    }

    let nodes: [Node]
    let strings: [String]
    let attributes: [XMLTree.Attribute]
    let root: Int

    init(nodes: [Node], strings: [String], attributes: [XMLTree.Attribute], root: Int) {
        self.nodes = nodes
        self.strings = strings
        self.attributes = attributes
        self.root = root
    }

    func end(of index: Int) -> Int { Int(nodes[index].end) }

    /// The name of an element, the target of an instruction, or the text of anything else.
    func string(of index: Int) -> String { strings[Int(nodes[index].string)] }

    /// What follows the target of an instruction.
    func data(of index: Int) -> String { strings[Int(nodes[index].string) + 1] }

    func attributes(of index: Int) -> ArraySlice<XMLTree.Attribute> {
        let first = Int(nodes[index].firstAttribute)
        return attributes[first..<(first + Int(nodes[index].attributeCount))]
    }

    /// Whether two nodes are of the same kind and say the same, whatever is inside them.
    func isSame(_ index: Int, as other: Int, of list: XMLNodeList) -> Bool {
        let kind = nodes[index].kind
        guard kind == list.nodes[other].kind, string(of: index) == list.string(of: other) else { return false }
        if kind == .processingInstruction { return data(of: index) == list.data(of: other) }
        return attributes(of: index) == list.attributes(of: other)
    }
}
