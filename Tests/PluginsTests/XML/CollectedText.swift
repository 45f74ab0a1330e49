import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A delegate that keeps the text and the names, in order.
final class CollectedText: XMLParserDelegate {
    private(set) var text = ""
    private(set) var names: [String] = []
    private(set) var namespaces: [String?] = []
    private(set) var errors: [String] = []
    var abortsAfter = Int.max

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.append(name)
        namespaces.append(namespaceURI)
        if names.count >= abortsAfter { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { errors.append("\(error)") }
}
