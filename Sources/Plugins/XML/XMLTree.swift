public import PatchbayJSON
public import PatchbayPlatform
import PatchbayRegistry

/// An XML document as an immutable tree, which any thread can read.
///
/// ```swift
/// let feed = try await manager.get("feed.xml", as: XMLTree.self)
/// let titles = feed.root["channel"]?.children(named: "item").compactMap { $0["title"]?.text }
/// ```
///
/// Entities and character references are resolved. Line ends are as XML reports them, line feeds (XML 1.0, section
/// 2.11).
///
/// A colon in a name separates a declared prefix from the local name (Namespaces in XML 1.0). `a:b:c`, `:a` and an
/// instruction named `a:b` are refused, although XML 1.0 alone allows them. Parsers refuse these names as well, whether
/// they process namespaces or not.
public struct XMLTree: Sendable {
    let nodes: XMLNodeList

    /// The root element of the document.
    public var root: XMLTree.Element { Element(nodes: nodes, index: nodes.root) }

    /// Reads a document with the default limits of the entry `xml-document`.
    ///
    /// The bytes determine its encoding (XML 1.0, appendix F): a byte order mark, else the declaration, else UTF-8.
    /// - Throws: `FormatFailure` of the format `xml`, with line and column if they are known.
    public init(parsing bytes: some ContiguousBytes) throws(FormatFailure) {
        do throws(XMLFailure) {
            try self.init(try XMLText(ResponseBody(bytes), .missing, XMLLimits()))
        } catch {
            throw error.formatFailure
        }
    }

    /// Reads the tree of a text, with the limits of the text.
    init(_ text: XMLText) throws(XMLFailure) {
        var builder = text.utf8.withUnsafeBytes { bytes in
            XMLNodeListBuilder(for: bytes, maximumNodes: text.limits.maximumNodes)
        }
        try XMLEventReader.read(text) { event throws(XMLFailure) in try builder.take(event) }
        nodes = try builder.finish()
    }
}

extension XMLTree: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.root == right.root }
    public func hash(into hasher: inout Hasher) { root.hash(into: &hasher) }
}

extension XMLTree: CustomStringConvertible, CustomReflectable {
    /// The document as XML, on one line except for its own line feeds.
    public var description: String { root.description }
    public var customMirror: Mirror { Mirror(described: self) }
}

extension XMLNodeList {
    /// An element as XML, written without recursion.
    func xml(of start: Int) -> String {
        var output = ""
        var open: [Int] = []
        func escape(_ text: String, inAttribute: Bool) {
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
        for index in start..<end(of: start) {
            while let last = open.last, end(of: last) <= index { output += "</\(string(of: open.removeLast()))>" }
            let string = string(of: index)
            switch nodes[index].kind {
            case .element:
                output += "<\(string)"
                for attribute in attributes(of: index) {
                    output += " \(attribute.name)=\""
                    escape(attribute.value, inAttribute: true)
                    output += "\""
                }
                if end(of: index) == index + 1 {
                    output += "/>"
                } else {
                    output += ">"
                    open.append(index)
                }
            case .text: escape(string, inAttribute: false)
            case .cdata: output += "<![CDATA[\(string)]]>"
            case .comment: output += "<!--\(string)-->"
            case .processingInstruction:
                let data = data(of: index)
                output += data.isEmpty ? "<?\(string)?>" : "<?\(string) \(data)?>"
            }
        }
        while let last = open.popLast() { output += "</\(self.string(of: last))>" }
        return output
    }
}
