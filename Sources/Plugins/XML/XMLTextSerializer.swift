package import PatchbayRegistry

/// A value that keeps the text of an XML document, for a parser that reports events.
package protocol XMLTextSource: Sendable { init(text: XMLText) }

/// Makes the values of the factory `xml-parser`. `PatchbayMigration` has the one that makes an `XMLParser`.
package struct XMLTextSerializer<Source: XMLTextSource>: ResponseSerializer, NeverDecliningSerializer {
    package var limits = XMLLimits.standard
    /// The charset that replaces those of the response and the document; nil for none. A byte order mark takes precedence.
    package var charsetOverride: String?

    /// - Throws: `XMLFailure` if the encoding is wrong, or the document has a forbidden declaration or too many
    ///   attributes.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> Source {
        Source(text: try XMLText(body, head.contentType, limits, charsetOverride: charsetOverride))
    }
}

extension SerializerFactories {
    /// The factory `xml-parser`, which makes values of the type.
    package static func xmlParser<Source: XMLTextSource>(_ type: Source.Type) -> SerializerFactories {
        var factories = SerializerFactories()
        // This can't fail: no factory has the name yet.
        try? factories.register("xml-parser", types: ["@xml"]) { (options: XMLOptions, context) in
            XMLTextSerializer<Source>(
                limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes),
                charsetOverride: try options.checkedCharset())
        }
        return factories
    }
}
