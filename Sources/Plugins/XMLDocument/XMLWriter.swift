/// Writes an element as XML, without recursion.
struct XMLWriter {
    private var output = ""

    static func write(_ element: XMLTree.Element) -> String {
        var writer = XMLWriter()
        writer.write(element.nodes, from: element.index)
        return writer.output
    }

    private mutating func write(_ list: XMLNodeList, from start: Int) {
        var open: [Int] = []
        for index in start..<list.end(of: start) {
            while let last = open.last, list.end(of: last) <= index { close(list.string(of: open.removeLast())) }
            let string = list.string(of: index)
            switch list.nodes[index].kind {
            case .element:
                output += "<\(string)"
                for attribute in list.attributes(of: index) {
                    output += " \(attribute.name)=\""
                    escape(attribute.value, inAttribute: true)
                    output += "\""
                }
                if list.end(of: index) == index + 1 {
                    output += "/>"
                } else {
                    output += ">"
                    open.append(index)
                }
            case .text: escape(string, inAttribute: false)
            case .cdata: output += "<![CDATA[\(string)]]>"
            case .comment: output += "<!--\(string)-->"
            case .processingInstruction:
                let data = list.data(of: index)
                output += data.isEmpty ? "<?\(string)?>" : "<?\(string) \(data)?>"
            }
        }
        while let last = open.popLast() { close(list.string(of: last)) }
    }

    private mutating func close(_ name: String) { output += "</\(name)>" }

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
