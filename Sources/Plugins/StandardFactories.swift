public import PatchbayRegistry

extension SerializerFactories {
    /// The factories of every format that is built in: `text`, `json`, `problem-json`, `property-list`, `xml-parser`,
    /// `xml-document`, `form` and `xssi`.
    public static var standard: SerializerFactories {
        let builtIn: [any SerializerFactory] = [
            TextFactory(),
            JSONFactory(),
            ProblemFactory(),
            PropertyListFactory(),
            XMLParserFactory(),
            XMLDocumentFactory(),
            FormFactory(),
            XSSIFactory(),
        ]
        var factories = SerializerFactories()
        for factory in builtIn {
            // Replacing, it cannot fail; that no name is there twice is a test.
            try? factories.register(factory, replacing: true)
        }
        return factories
    }
}
