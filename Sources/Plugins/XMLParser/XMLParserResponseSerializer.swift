public import PatchbayRegistry

/// Makes a value from which an `XMLParser` can be had: for documents that are read event by event.
public struct XMLParserResponseSerializer: ResponseSerializer, NeverDecliningSerializer {
    /// How much of a document the parser takes in.
    public let limits: XMLLimits

    /// A serializer with these limits.
    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    /// - Throws: `XMLFailure` where the encoding is wrong, or the document has a forbidden declaration or too many attributes.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLParserSource {
        XMLParserSource(text: try XMLText(body, head.contentType, limits))
    }
}

/// Makes the serializer for `"factory": "xml-parser"`.
struct XMLParserFactory: SerializerFactory {
    static let name = "xml-parser"

    func makeSerializer(_ options: XMLOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        XMLParserResponseSerializer(limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes))
    }
}
