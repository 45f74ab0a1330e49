// The built-in formats, one folder each: a serializer and its options. The folder Decodable has the decoder
// that several formats share.

public import PatchbayRegistry

extension SerializerFactories {
    /// The factories of all built-in formats: `image` if there is a decoder, and `text`, `json`, `problem-json`,
    /// `property-list`, `xml-document`, `form`, `xssi`, `server-sent-events`, `ndjson`, `json-seq`, `csv-rows`,
    /// `multipart-parts` and `raw`.
    public static var standard: SerializerFactories {
        var factories = SerializerFactories()
        func add<Options: Decodable & SendableMetatype>(
            _ name: String, _ types: String...,
            make: @escaping @Sendable (Options, FactoryContext) throws -> any Serializer
        ) {
            // This can't fail: no name occurs twice.
            try? factories.register(name, types: types, make: make)
        }
        add("text", "text/*") { (options: TextOptions, _) in try options.serializer() }
        // AFNetworking reads text/javascript as JSON, and so does the built-in table.
        add("json", "@json", "text/javascript") { (options: JSONOptions, _) in options.serializer }
        add("problem-json", "application/problem+json") { (options: JSONDocumentOptions, _) in
            ProblemSerializer(json: options.serializer)
        }
        add(
            "property-list", "application/x-plist", "application/x-apple-plist", "application/x-apple-binary-plist",
            "text/x-apple-plist+xml", "+plist"
        ) { (options: PropertyListOptions, _) in try options.serializer() }
        add("xml-document", "@xml") { (options: XMLDocumentOptions, context) in try options.serializer(context) }
        add("form", "application/x-www-form-urlencoded") { (options: FormOptions, _) in try options.serializer() }
        add("xssi") { (options: XSSIOptions, _) in try options.serializer() }
        add("server-sent-events", "text/event-stream") { (options: JSONElementOptions<ServerSentEventOptions>, _) in
            try options.format.serializer(options.values.serializer)
        }
        add(
            "ndjson", "application/x-ndjson", "application/jsonl", "application/ndjson", "application/x-jsonlines"
        ) { (options: JSONElementOptions<NDJSONOptions>, _) in
            try options.format.serializer(options.values.serializer)
        }
        add("json-seq", "application/json-seq", "+json-seq") { (options: JSONElementOptions<JSONSequenceOptions>, _) in
            try options.format.serializer(options.values.serializer)
        }
        add("csv-rows", "text/csv", "text/tab-separated-values") { (options: CSVRowsOptions, _) in
            try options.serializer()
        }
        add("multipart-parts", "multipart/mixed", "multipart/*") { (options: MultipartPartsOptions, _) in
            try options.serializer()
        }
        add("raw") { (_: NoOptions, _) in RawSerializer() }
        #if Images || canImport(ImageIO)
            add("image", "image/*") { (options: ImageOptions, _) in try options.serializer() }
        #endif
        factories.expect("xml-parser", needing: "the product PatchbayMigration")
        #if !canImport(ImageIO)
            factories.expect("image", needing: "the trait Images")
        #endif
        return factories
    }
}
