/// What an element has inside, by the keys of `XMLTree.Element.decode`.
///
/// Both kinds of names are gathered once, so that asking for every name of an element takes time in line with its size.
struct XMLMembers: DecodingMembers {
    private let element: XMLTree.Element
    private var elements = Names()
    private var attributes = Names()

    /// Where things are by their names.
    private struct Names {
        typealias Name = ArraySlice<UInt8>

        private var written: [Name: [Int]] = [:]
        private var local: [Name: (places: [Int], spellings: Int)] = [:]
        /// Each name as written, and what is behind its prefix.
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

        /// The shortest key for each name that finds that name alone.
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

    var keys: [String] {
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
