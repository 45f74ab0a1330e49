/// The nodes of a document in document order. The list is flat, so that neither reading nor releasing a deep document
/// recurses. A node takes 28 bytes besides its text. Strings are created on request.
///
/// A node's descendants follow it directly, up to its `end`.
final class XMLNodeList: Sendable {
    typealias Piece = Range<UInt32>

    struct Node: Sendable {
        enum Kind: UInt8, Sendable { case element, text, cdata, comment, processingInstruction }

        let kind: Kind
        /// Whether this is an element that `xsi:nil` declares nil (XML Schema Part 1, section 2.6.2). It is stored
        /// because decoding reads it several times for each value, and only the parser knows the namespace of an
        /// attribute without searching the enclosing elements.
        var isNil = false
        var attributeCount: UInt32 = 0
        /// The enclosing element; -1 for the root and the nodes beside it.
        let parent: Int32
        /// The index after the node's last descendant.
        var end: UInt32
        /// The name of an element, the target of an instruction, or the text of any other node.
        var string: Piece
        var firstAttribute: UInt32 = 0
    }

    /// An attribute of an element, or the data of an instruction. For an instruction, the name is its target.
    typealias Attribute = (name: Piece, value: Piece)

    let nodes: [Node]
    let attributes: [Attribute]
    /// The UTF-8 text that all pieces refer to.
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
        String(decoding: text[Int(piece.lowerBound)..<Int(piece.upperBound)], as: UTF8.self)
    }

    /// The name of an element, the target of an instruction, or the text of any other node.
    func string(of index: Int) -> String { string(nodes[index].string) }

    /// The text of those of the nodes that are text or CDATA.
    func text(of indices: some Sequence<Int>) -> String {
        indices.reduce(into: "") { text, index in
            if nodes[index].kind == .text || nodes[index].kind == .cdata { text += string(of: index) }
        }
    }

    /// The text after the target of an instruction.
    func data(of index: Int) -> String { attributes(of: index).first?.value ?? "" }

    func attributes(of index: Int) -> [(name: String, value: String)] {
        attributes[attributeRange(of: index)].map { (string($0.name), string($0.value)) }
    }

    func attributeRange(of index: Int) -> Range<Int> {
        let first = Int(nodes[index].firstAttribute)
        return first..<(first + Int(nodes[index].attributeCount))
    }

    func attribute(_ name: String, of index: Int) -> String? {
        attributes[attributeRange(of: index)].first { string($0.name) == name }.map { string($0.value) }
    }

    /// Whether two nodes have the same kind, string and attributes. Their descendants are not compared.
    func isSame(_ index: Int, as other: Int, of list: XMLNodeList) -> Bool {
        nodes[index].kind == list.nodes[other].kind && string(of: index) == list.string(of: other)
            && attributes(of: index).elementsEqual(list.attributes(of: other), by: ==)
    }
}

struct XMLNodeListBuilder {
    private let maximumNodes: Int
    private var nodes: [XMLNodeList.Node] = []
    private var attributes: [XMLNodeList.Attribute] = []
    private var text: [UInt8] = []
    private var open: [Int] = []
    private var root: Int?
    private var count = 0

    /// Reserves memory for the nodes and the text of the document. If this memory had to be moved to grow, the old and
    /// the new memory would be needed at the same time. The system provides no physical memory for large unused parts.
    init(for bytes: UnsafeRawBufferPointer, maximumNodes: Int) {
        // Indices of nodes have 31 bits.
        self.maximumNodes = min(maximumNodes, Int(Int32.max) / 2)
        nodes.reserveCapacity(min(Self.mostNodes(in: bytes), self.maximumNodes))
        text.reserveCapacity(bytes.count)
    }

    /// The maximum number of nodes. Every node except text has a less-than sign that doesn't begin an end tag, and
    /// every text ends at a less-than sign.
    private static func mostNodes(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "<") {
            count += bytes[index + 1] == UInt8(ascii: "/") ? 1 : 2
        }
        return count
    }

    func finish() throws(XMLFailure) -> XMLNodeList {
        guard let root else { throw XMLFailure(.noRootElement, "there is no complete root element") }
        return XMLNodeList(nodes: nodes, attributes: attributes, text: text, root: root)
    }

    /// - Throws: the failure, without line and column, if there are too many nodes.
    mutating func take(_ event: XMLEvent) throws(XMLFailure) {
        switch event {
        case .end:
            if let index = open.popLast() { nodes[index].end = UInt32(nodes.count) }
        case .start(let tag): try start(tag)
        case .text(let bytes): try take(bytes)
        case .cdata(let bytes): try append(.cdata, try piece(bytes))
        case .comment(let bytes): try append(.comment, try piece(bytes))
        case .processingInstruction(let target, let data):
            let target = try piece(target)
            try append(.processingInstruction, target, attributes: data.isEmpty ? 0 : 1)
            if !data.isEmpty { give((name: target, value: try piece(data))) }
        }
    }

    private mutating func start(_ tag: XMLStartTag) throws(XMLFailure) {
        let index = nodes.count
        if root == nil { root = index }
        try append(.element, try piece(tag.name), attributes: tag.attributeCount)
        try tag.forEachAttribute { name, value throws(XMLFailure) in
            give((name: try piece(name), value: try piece(value)))
        }
        if let word = tag.attribute("nil", namespace: "http://www.w3.org/2001/XMLSchema-instance") {
            nodes[index].isNil = Bool.read(String(decoding: word, as: UTF8.self)) == true
        }
        if tag.attributeCount > 1 { sortAttributes(from: Int(nodes[index].firstAttribute)) }
        open.append(index)
    }

    private mutating func take(_ bytes: XMLBytes) throws(XMLFailure) {
        let piece = try piece(bytes)
        // A run of text arrives in pieces. If no other node has come since the last piece, the pieces form one node.
        if let last = nodes.indices.last, nodes[last].kind == .text, nodes[last].parent == parent {
            nodes[last].string = nodes[last].string.lowerBound..<piece.upperBound
        } else {
            try append(.text, piece)
        }
    }

    private var parent: Int32 { Int32(open.last ?? -1) }

    private mutating func append(
        _ kind: XMLNodeList.Node.Kind, _ string: XMLNodeList.Piece, attributes: Int = 0
    ) throws(XMLFailure) {
        guard count + attributes < maximumNodes else {
            throw XMLFailure(.nodes, "it has more than \(maximumNodes) nodes and attributes")
        }
        count += 1 + attributes
        nodes.append(
            XMLNodeList.Node(
                kind: kind, parent: parent, end: UInt32(nodes.count + 1), string: string,
                firstAttribute: UInt32(self.attributes.count)))
    }

    private mutating func give(_ attribute: XMLNodeList.Attribute) {
        attributes.append(attribute)
        nodes[nodes.count - 1].attributeCount += 1
    }

    private mutating func sortAttributes(from first: Int) {
        let text = text
        func name(_ attribute: XMLNodeList.Attribute) -> ArraySlice<UInt8> {
            text[Int(attribute.name.lowerBound)..<Int(attribute.name.upperBound)]
        }
        attributes[first...].sort { name($0).lexicographicallyPrecedes(name($1)) }
    }

    private mutating func piece(_ name: XMLStartTag.Name) throws(XMLFailure) -> XMLNodeList.Piece {
        guard let prefix = name.prefix else { return try piece(name.local) }
        let start = try piece(prefix).lowerBound
        text.append(UInt8(ascii: ":"))
        return start..<(try piece(name.local).upperBound)
    }

    /// Appends the bytes to the text.
    private mutating func piece(_ bytes: XMLBytes) throws(XMLFailure) -> XMLNodeList.Piece {
        let start = text.count
        text.append(contentsOf: bytes)
        guard let start = UInt32(exactly: start), let end = UInt32(exactly: text.count) else {
            throw XMLFailure(.characters, "it stands for more than 4 GiB of text")
        }
        return start..<end
    }
}
