/// The nodes of a document in document order: flat, so that neither reading nor releasing a deep document recurses, and small: a
/// node takes 28 bytes beside its text. Strings are made when they are asked for.
///
/// A node's descendants follow it directly, up to its `end`.
final class XMLNodeList: Sendable {
    /// A part of the text.
    struct Piece: Sendable {
        let start: UInt32
        var end: UInt32
    }

    struct Node: Sendable {
        enum Kind: UInt8, Sendable { case element, text, cdata, comment, processingInstruction }

        let kind: Kind
        /// Whether it is an element that says of itself to be nil (XML Schema Part 1, section 2.6.2). It is kept because decoding asks
        /// it several times of each value, and only the parser knows the namespace of an attribute without asking every element around.
        var isNil = false
        var attributeCount: UInt32 = 0
        /// The element around it; -1 for nodes beside the root.
        let parent: Int32
        /// One past its last descendant.
        var end: UInt32
        /// The name of an element, the target of an instruction, or the text of anything else.
        var string: Piece
        var firstAttribute: UInt32 = 0
    }

    /// An attribute of an element; or, with the target for its name, the data of an instruction that has any.
    struct Attribute: Sendable {
        let name: Piece
        let value: Piece
    }

    let nodes: [Node]
    let attributes: [Attribute]
    /// Everything that is said in the document, as UTF-8.
    let text: [UInt8]
    let root: Int

    init(nodes: [Node], attributes: [Attribute], text: [UInt8], root: Int) {
        self.nodes = nodes
        self.attributes = attributes
        self.text = text
        self.root = root
    }

    func end(of index: Int) -> Int { Int(nodes[index].end) }

    func string(_ piece: Piece) -> String {
        String(decoding: text[Int(piece.start)..<Int(piece.end)], as: UTF8.self)
    }

    /// The name of an element, the target of an instruction, or the text of anything else.
    func string(of index: Int) -> String { string(nodes[index].string) }

    /// What follows the target of an instruction.
    func data(of index: Int) -> String { attributes(of: index).first?.value ?? "" }

    func attributes(of index: Int) -> [XMLTree.Attribute] {
        attributes[attributeRange(of: index)].map {
            XMLTree.Attribute(name: string($0.name), value: string($0.value))
        }
    }

    func attributeRange(of index: Int) -> Range<Int> {
        let first = Int(nodes[index].firstAttribute)
        return first..<(first + Int(nodes[index].attributeCount))
    }

    /// The value of the first attribute with this name.
    func attribute(_ name: String, of index: Int) -> String? {
        attributes[attributeRange(of: index)].first { string($0.name) == name }.map { string($0.value) }
    }

    /// Whether two nodes are of the same kind and say the same, whatever is inside them.
    func isSame(_ index: Int, as other: Int, of list: XMLNodeList) -> Bool {
        nodes[index].kind == list.nodes[other].kind && string(of: index) == list.string(of: other)
            && attributes(of: index) == list.attributes(of: other)
    }
}
