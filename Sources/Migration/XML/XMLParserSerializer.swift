import PatchbayPlatform
public import PatchbayPlugins
public import PatchbayRegistry

package typealias XMLParserSerializer = XMLTextSerializer<XMLParserSource>

extension SerializerFactories {
    /// The factories of this module: `xml-parser`.
    ///
    /// The entry `xml-parser` of the standard table is left out until the registry has this factory:
    ///
    /// ```swift
    /// let registry = try SerializerRegistry.standard.with(.migration)
    /// ```
    public static var migration: SerializerFactories { .xmlParser(XMLParserSource.self) }
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
public struct XMLParserSource: Sendable, XMLTextSource {
    package let text: XMLText

    package init(text: XMLText) { self.text = text }

    /// The length of the document in bytes of UTF-8.
    public var count: Int { text.utf8.count }
}

extension XMLParserSource: CustomStringConvertible, CustomReflectable {
    public var description: String { "an XML parser over \(ByteCount(count))" }
    public var customMirror: Mirror { Mirror(described: self) }
}
