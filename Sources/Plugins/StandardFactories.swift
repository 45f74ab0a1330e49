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
