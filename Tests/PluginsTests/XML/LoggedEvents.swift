import Foundation
import PatchbayPlugins

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What is inside the root of a document, a line an event, runs of text as one: by FoundationXML's events or from a tree.
final class LoggedEvents: NSObject, XMLParserDelegate {
    private(set) var log: [String] = []
    private var depth = 0

    override init() {}

    init(of tree: XMLTree) {
        super.init()
        add(.element(tree.root))
    }

    private func add(_ content: XMLTree.Content) {
        switch content {
        case .element(let element):
            log.append("start \(element.name) \(element.attributes.map { "\($0.name)=\($0.value)" })")
            for content in element.contents { add(content) }
            log.append("end \(element.name)")
        case .text(let text): add(text: text)
        case .cdata(let text): log.append("cdata \(text)")
        case .comment(let text): log.append("comment \(text)")
        case .processingInstruction(let target, let data): log.append("instruction \(target) \(data)")
        }
    }

    private func add(text: String) {
        if let last = log.last, last.hasPrefix("text ") {
            log[log.count - 1] = last + text
        } else {
            log.append("text \(text)")
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        log.append("start \(name) \(attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })")
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        depth -= 1
        log.append("end \(name)")
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { add(text: string) }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        log.append("cdata \(String(decoding: block, as: UTF8.self))")
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        if depth > 0 { log.append("comment \(comment)") }
    }

    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
        if depth > 0 { log.append("instruction \(target) \(data ?? "")") }
    }
}
