/// Writes an element as XML, without recursion.
struct XMLWriter {
    private var output = ""

    static func write(_ element: XMLTree.Element) -> String {
        var writer = XMLWriter()
        writer.write(element.nodes.nodes, from: element.index)
        return writer.output
    }

    private mutating func write(_ nodes: [XMLNodeList.Node], from start: Int) {
        var open: [Int] = []
        for index in start..<nodes[start].end {
            while let last = open.last, nodes[last].end <= index { close(nodes[open.removeLast()]) }
            let node = nodes[index]
            switch node.kind {
            case .element:
                output += "<\(node.name)"
                for attribute in node.attributes {
                    output += " \(attribute.name)=\""
                    escape(attribute.value, inAttribute: true)
                    output += "\""
                }
                if node.end == index + 1 {
                    output += "/>"
                } else {
                    output += ">"
                    open.append(index)
                }
            case .text: escape(node.text, inAttribute: false)
            case .cdata: output += "<![CDATA[\(node.text)]]>"
            case .comment: output += "<!--\(node.text)-->"
            case .processingInstruction:
                output += node.text.isEmpty ? "<?\(node.name)?>" : "<?\(node.name) \(node.text)?>"
            }
        }
        while let last = open.popLast() { close(nodes[last]) }
    }

    private mutating func close(_ node: XMLNodeList.Node) { output += "</\(node.name)>" }

    private mutating func escape(_ text: String, inAttribute: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\r": output += "&#13;"
            case "\"" where inAttribute: output += "&quot;"
            case "\n" where inAttribute: output += "&#10;"
            case "\t" where inAttribute: output += "&#9;"
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}
