import PatchbayPlatform
package import PatchbayPlugins
public import PatchbayRegistry

/// Makes a value that can make an `XMLParser`: for documents that are read event by event.
package struct XMLParserSerializer: ResponseSerializer, NeverDecliningSerializer {
    package let limits: XMLLimits
    /// The charset that replaces those of the response and the document; nil for none. A byte order mark takes precedence.
    package let charsetOverride: String?

    package init(limits: XMLLimits = .standard, charsetOverride: String? = nil) {
        self.limits = limits
        self.charsetOverride = charsetOverride
    }

    /// - Throws: `XMLFailure` if the encoding is wrong, or the document has a forbidden declaration or too many
    ///   attributes.
    package func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> XMLParserSource {
        XMLParserSource(text: try XMLText(body, head.contentType, limits, charsetOverride: charsetOverride))
    }
}

package struct XMLParserFactory: SerializerFactory {
    package static let name = "xml-parser"
    package static let types = ["@xml"]

    package init() {}

    package func makeSerializer(_ options: XMLOptions, _ context: FactoryContext) throws -> any Serializer {
        XMLParserSerializer(
            limits: try options.limits(maximumBodyBytes: context.maximumBodyBytes),
            charsetOverride: try options.checkedCharset())
    }
}

extension SerializerFactories {
    /// The factories of this module: `xml-parser`.
    ///
    /// The entry `xml-parser` of the standard table is left out until the registry has this factory:
    ///
    /// ```swift
    /// let registry = try SerializerRegistry.standard.with(.migration)
    /// ```
    public static var migration: SerializerFactories {
        var factories = SerializerFactories()
        // Cannot fail with `replacing: true`.
        try? factories.register(XMLParserFactory(), replacing: true)
        return factories
    }
}

/// An XML body that can be parsed any number of times.
///
/// An `XMLParser` must be used on one thread, but a response can be passed to another thread. So this value can be
/// passed to another thread, and makes the parser there.
///
/// ```swift
/// let manager = SessionManager(registry: try SerializerRegistry.standard.with(.migration))
/// let source = try await manager.get("feed.xml", as: XMLParserSource.self)
/// let parser = source.makeParser()
/// parser.delegate = feedReader
/// guard parser.parse() else { throw parser.parserError ?? … }
/// ```
///
/// The encoding has been checked, and a document type declaration has been removed or refused (the option `doctype`).
/// Only parsing shows whether the document is well-formed. With `parser.shouldProcessNamespaces` the delegate gets the
/// namespace of each element.
public struct XMLParserSource: Sendable {
    package let text: XMLText

    /// The length of the document in bytes of UTF-8.
    public var count: Int { text.utf8.count }
}

extension XMLParserSource: CustomStringConvertible, CustomReflectable {
    public var description: String { "an XML parser over \(ByteCount(count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
