// The built-in formats, one folder each: a serializer, its options, its factory. The folder Decodable has the decoder
// that several formats share.

public import PatchbayRegistry

extension SerializerFactories {
    /// The factories of all built-in formats: `image` if there is a decoder, and `text`, `json`, `problem-json`,
    /// `property-list`, `xml-document`, `form`, `xssi`, `server-sent-events`, `ndjson`, `json-seq`, `csv-rows`,
    /// `multipart-parts` and `raw`.
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
            RawFactory(),
        ]
        #if Images || canImport(ImageIO)
            builtIn.append(ImageFactory())
        #endif
        var factories = SerializerFactories()
        for factory in builtIn {
            // With `replacing`, this can't fail. A test checks that no name occurs twice.
            try? factories.register(factory, replacing: true)
        }
        factories.expect("xml-parser", needing: "the product PatchbayMigration")
        #if !canImport(ImageIO)
            factories.expect("image", needing: "the trait Images")
        #endif
        return factories
    }
}
