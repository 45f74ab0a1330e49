public import PatchbayRegistry

/// Makes a value from which an `XMLParser` can be had: for documents that are read event by event.
public struct XMLParserResponseSerializer: ResponseSerializer, NeverDecliningSerializer {
    public let limits: XMLLimits

    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    /// - Throws: `XMLFailure` where the encoding is wrong, or the document has a forbidden declaration or too many attributes.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLParserSource {
        XMLParserSource(text: try XMLText(body, head.contentType, limits))
    }
}

/// Makes the serializer for `"factory": "xml-parser"`.
public struct XMLParserFactory: SerializerFactory {
    public static let name = "xml-parser"

    public init() {}

    public func makeSerializer(_ options: XMLOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        XMLParserResponseSerializer(limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes))
    }
}
