public import PatchbayJSON
import PatchbayPlatform
import PatchbayPlugins

#if canImport(FoundationXML)
    import Foundation
    public import FoundationXML
#else
    public import Foundation
#endif

/// An `XMLParser` that stops at the limits and at the first error, and never opens an external entity.
///
/// While the parser parses, it is its own delegate and passes each event to the delegate of the caller, so that every
/// event is counted. FoundationXML does not report failure reliably: it continues after errors, and accepts an empty
/// document. In this class `parse()` is true only if a whole root element was read and no error was reported.
final class BudgetedXMLParser: XMLParser, XMLParserDelegate {
    private weak var outer: (any XMLParserDelegate)?
    private var kept: (any XMLParserDelegate)?
    private var budget = XMLBudget()
    private var state = State.ready
    private(set) var failure: XMLFailure?

    private enum State { case ready, parsing, done }

    /// A convenience initialiser, because on Apple platforms `init(stream:)` is one.
    convenience init(_ text: XMLText) {
        // A stream is read in pieces; libxml2 refuses more than 10 MB in one piece.
        self.init(stream: InputStream(data: text.utf8))
        budget = XMLBudget(text)
    }

    override var delegate: (any XMLParserDelegate)? {
        get { state == .parsing ? self : outer }
        set { outer = newValue }
    }

    override var parserError: (any Error)? { failure?.formatFailure ?? super.parserError }

    override func parse() -> Bool {
        guard state == .ready else { return false }
        externalEntityResolvingPolicy = .never
        shouldResolveExternalEntities = false
        state = .parsing
        // For a parser that reads its own variable instead of the property.
        super.delegate = self
        let complete = super.parse()
        super.delegate = nil
        state = .done
        if failure == nil, !complete || !budget.isComplete {
            failure = XMLFailure(.noRootElement, "there is no complete root element")
        }
        return failure == nil
    }

    /// Parses with a delegate, which is kept alive until parsing has ended.
    func parse(with delegate: any XMLParserDelegate) -> Bool {
        kept = delegate
        outer = delegate
        defer { kept = nil }
        return parse()
    }

    override func abortParsing() {
        fail(.aborted, "the delegate ended the parse")
    }

    private func fail(_ code: XMLFailure.Code, _ reason: String) {
        fail(XMLFailure(code, reason, line: lineNumber, column: columnNumber))
    }

    /// Stops the parser. Only the first failure is kept.
    private func fail(_ failure: XMLFailure) {
        guard self.failure == nil else { return }
        self.failure = failure
        super.abortParsing()
        (outer?.parser(_:parseErrorOccurred:))?(self, failure)
    }

    /// Counts an event. Returns the delegate if the event is within the limits and nothing has failed.
    private func receiver(_ count: (inout XMLBudget) throws(XMLFailure) -> Void) -> (any XMLParserDelegate)? {
        guard failure == nil else { return nil }
        do throws(XMLFailure) {
            try count(&budget)
        } catch {
            fail(error.code, error.reason)
            return nil
        }
        return outer
    }

    private func receiver(_ bytes: Int = 0) -> (any XMLParserDelegate)? {
        receiver { budget throws(XMLFailure) in try budget.take(bytes) }
    }

    // MARK: Events that are counted

    // On Apple platforms, a delegate need not have the methods of its protocol, so each is taken first, and then called.

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let bytes = attributes.values.reduce(0) { $0 + $1.utf8.count }
        let receiver = receiver { budget throws(XMLFailure) in
            try budget.start(attributes: attributes.count, bytes: bytes)
        }
        (receiver?.parser(_:didStartElement:namespaceURI:qualifiedName:attributes:))?(
            parser, name, namespaceURI, qualifiedName, attributes)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        let receiver = receiver { $0.end() }
        (receiver?.parser(_:didEndElement:namespaceURI:qualifiedName:))?(parser, name, namespaceURI, qualifiedName)
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        (receiver(text.utf8.count)?.parser(_:foundCharacters:))?(parser, text)
    }

    func parser(_ parser: XMLParser, foundIgnorableWhitespace text: String) {
        (receiver(text.utf8.count)?.parser(_:foundIgnorableWhitespace:))?(parser, text)
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        (receiver(block.count)?.parser(_:foundCDATA:))?(parser, block)
    }

    func parser(_ parser: XMLParser, foundComment comment: String) {
        (receiver(comment.utf8.count)?.parser(_:foundComment:))?(parser, comment)
    }

    func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
        let receiver = receiver(target.utf8.count + (data?.utf8.count ?? 0))
        (receiver?.parser(_:foundProcessingInstructionWithTarget:data:))?(parser, target, data)
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        let number = (error as NSError).code
        guard !XMLFailure.isWarning(libxml: number) else { return }
        fail(.libxml(number, depth: budget.depth, line: lineNumber, column: columnNumber))
    }

    // MARK: Events that are passed on without a count

    func parserDidStartDocument(_ parser: XMLParser) {
        (receiver()?.parserDidStartDocument)?(parser)
    }

    func parserDidEndDocument(_ parser: XMLParser) {
        (receiver()?.parserDidEndDocument)?(parser)
    }

    func parser(_ parser: XMLParser, didStartMappingPrefix prefix: String, toURI uri: String) {
        (receiver()?.parser(_:didStartMappingPrefix:toURI:))?(parser, prefix, uri)
    }

    func parser(_ parser: XMLParser, didEndMappingPrefix prefix: String) {
        (receiver()?.parser(_:didEndMappingPrefix:))?(parser, prefix)
    }
}

extension XMLParserSource {
    /// Makes a new parser over the body. Use the parser in the thread in which it is made.
    ///
    /// The parser is a Foundation `XMLParser` with limits. At the first error, and at the first limit that is exceeded,
    /// it stops, `parse()` is false and `parserError` is a `FormatFailure`. The parser opens no external entity
    /// whatever its properties say.
    public func makeParser() -> XMLParser { BudgetedXMLParser(text) }

    /// Parses with the delegate, from beginning to end.
    /// - Throws: `FormatFailure` of the format `xml` if the document is not well-formed or exceeds a limit, or if the
    ///   delegate aborts.
    public func parse(with delegate: some XMLParserDelegate) throws(FormatFailure) {
        let parser = BudgetedXMLParser(text)
        guard parser.parse(with: delegate) else {
            throw (parser.failure ?? XMLFailure(.notWellFormed, "it is not well-formed")).formatFailure
        }
    }
}
