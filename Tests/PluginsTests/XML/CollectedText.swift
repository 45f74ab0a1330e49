import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A delegate that keeps the text and the names, in order.
final class CollectedText: NSObject, XMLParserDelegate {
    private(set) var text = ""
    /// The text, and that of CDATA sections, which FoundationXML tells by another method.
    private(set) var everything = ""
    /// Of all elements.
    private(set) var attributes: [String: String] = [:]
    private(set) var names: [String] = []
    private(set) var namespaces: [String?] = []
    private(set) var errors: [String] = []
    var abortsAfter = Int.max

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.append(name)
        self.attributes.merge(attributes) { $1 }
        namespaces.append(namespaceURI)
        if names.count >= abortsAfter { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
        everything += string
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { everything += String(decoding: block, as: UTF8.self) }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { errors.append("\(error)") }
}
