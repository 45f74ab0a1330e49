import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The least that makes a tree of what `XMLParser` tells.
final class PlainTreeBuilder: NSObject, XMLParserDelegate {
    final class Element {
        let name: String
        let attributes: [String: String]
        var text = ""
        var children: [Element] = []

        init(_ name: String, _ attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }
    }

    private(set) var root: Element?
    private var open: [Element] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = Element(name, attributes)
        open.last?.children.append(element)
        if root == nil { root = element }
        open.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
}
