/// One thing that a parser reports, in document order.
enum XMLEvent {
    /// A start tag; names are as written, and namespace declarations are among the attributes.
    case start(name: String, attributes: [String: String])
    case end(name: String)
    /// Some of the text: one run of it can come in pieces.
    case text(String)
    case cdata(String)
    case comment(String)
    case processingInstruction(target: String, data: String?)
}
