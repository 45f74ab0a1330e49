import PatchbayPlatform
package import PatchbayRegistry

/// Makes a value from which an `XMLParser` can be had: for documents that are read event by event.
package struct XMLParserSerializer: ResponseSerializer, NeverDecliningSerializer {
    /// How much of a document the parser takes in.
    package let limits: XMLLimits

    /// A serializer with these limits.
    package init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    /// - Throws: `XMLFailure` where the encoding is wrong, or the document has a forbidden declaration or too many attributes.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLParserSource {
        XMLParserSource(text: try XMLText(body, head.contentType, limits))
    }
}

/// Makes the serializer for `"factory": "xml-parser"`.
struct XMLParserFactory: SerializerFactory {
    static let name = "xml-parser"

    func makeSerializer(_ options: XMLOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        XMLParserSerializer(limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes))
    }
}

/// An XML body that is ready to be parsed, as often as wanted.
///
/// An `XMLParser` belongs to one thread, a response does not: so this value crosses over, and makes the parser where it is used.
///
/// ```swift
/// let source = try await manager.get("feed.xml", as: XMLParserSource.self)
/// let parser = source.makeParser()
/// parser.delegate = feedReader
/// guard parser.parse() else { throw parser.parserError ?? … }
/// ```
///
/// The encoding has been checked, and a document type declaration taken out or refused (the option `doctype`); whether the
/// document is well-formed shows when it is parsed. With `parser.shouldProcessNamespaces` the delegate is told the namespace of
/// each element.
public struct XMLParserSource: Sendable {
    let text: XMLText

    /// The length of the document in bytes of UTF-8.
    public var count: Int { text.utf8.count }
    /// How much of the document a parser takes in.
    package var limits: XMLLimits { text.limits }
}

extension XMLParserSource: CustomStringConvertible, CustomReflectable {
    public var description: String { "an XML parser over \(ByteCount(count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
