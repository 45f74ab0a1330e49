public import PatchbayRegistry

/// Reads a whole XML document into an immutable tree.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
    public let limits: XMLLimits

    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    /// - Throws: `XMLFailure` where the document is not well-formed, passes a limit or has a forbidden declaration.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLTree {
        try XMLTree(XMLParserSource(text: try XMLText(body, head.contentType, limits)))
    }
}

/// Makes the serializer for `"factory": "xml-document"`.
public struct XMLDocumentFactory: SerializerFactory {
    public static let name = "xml-document"

    public init() {}

    public func makeSerializer(_ options: XMLOptions, _ context: FactoryContext) throws -> any ResponseSerializer {
        XMLDocumentResponseSerializer(limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes))
    }
}
