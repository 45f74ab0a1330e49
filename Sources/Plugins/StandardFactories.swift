// The built-in formats, one folder each: a serializer, its options, its factory. What several formats decode with is in Decoding.

public import PatchbayRegistry

extension SerializerFactories {
    /// The factories of every format that is built in: `image` where there is a decoder, and `text`, `json`, `problem-json`,
    /// `property-list`, `xml-document`, `form`, `xssi`, `server-sent-events`, `ndjson`, `json-seq`, `csv-rows` and
    /// `multipart-parts`.
    public static var standard: SerializerFactories {
        var builtIn: [any SerializerFactory] = [
            TextFactory(),
            JSONFactory(),
            ProblemFactory(),
            PropertyListFactory(),
            XMLDocumentFactory(),
            FormFactory(),
            XSSIFactory(),
            ServerSentEventFactory(),
            NDJSONFactory(),
            JSONSequenceFactory(),
            CSVRowsFactory(),
            MultipartPartsFactory(),
        ]
        #if Images || canImport(ImageIO)
            builtIn.append(ImageFactory())
        #endif
        var factories = SerializerFactories()
        factories.expect("xml-parser", from: "PatchbayMigration")
        for factory in builtIn {
            // Replacing, it cannot fail; that no name is there twice is a test.
            try? factories.register(factory, replacing: true)
        }
        return factories
    }
}

extension FactoryDescription {
    /// The factories of the standard table, those that are not in this build and those of other modules among them.
    package static let standard = [
        FactoryDescription(TextFactory.name, .textOptions),
        FactoryDescription(JSONFactory.name, .jsonOptions),
        FactoryDescription(ProblemFactory.name, .jsonOptions),
        FactoryDescription(PropertyListFactory.name, .noOptions),
        FactoryDescription("xml-parser", .xmlOptions),
        FactoryDescription(XMLDocumentFactory.name, .xmlDocumentOptions),
        FactoryDescription(FormFactory.name, .formOptions),
        FactoryDescription(XSSIFactory.name, .xssiOptions),
        FactoryDescription(ServerSentEventFactory.name, .serverSentEventOptions),
        FactoryDescription(NDJSONFactory.name, .ndjsonOptions),
        FactoryDescription(JSONSequenceFactory.name, .jsonSequenceOptions),
        FactoryDescription(CSVRowsFactory.name, .csvRowsOptions),
        FactoryDescription(MultipartPartsFactory.name, .multipartPartsOptions),
        FactoryDescription("image", .imageOptions),
    ]
}

extension ManifestObject {
    /// The keys of `NoOptions`.
    static let noOptions = ManifestObject("noOptions", [])
}
