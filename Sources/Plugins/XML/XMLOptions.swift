import PatchbayJSON
package import PatchbayRegistry

/// The options that both XML factories have.
package struct XMLOptions: Decodable, Sendable {
    var doctype: Choice<XMLLimits.Doctype>?
    var maxDepth: Int?
    var maxAttributes: Int?
    var maxCharacters: Int?
    var maxNodes: Int?
    var charsetOverride: String?

    /// The charset that replaces those of the response and the document; nil for none.
    /// - Throws: `OptionFailure`.
    package func checkedCharset() throws(OptionFailure) -> String? {
        try OptionFailure.check("charsetOverride", charset: charsetOverride)
        return charsetOverride
    }

    /// The limits that the options set. `maxCharacters` can't exceed the largest body that the entry accepts.
    /// - Throws: `OptionFailure`.
    package func limits(maximumBodyBytes: Int) throws(OptionFailure) -> XMLLimits {
        var limits = XMLLimits(doctype: doctype?.value ?? .ignore)
        if let maxDepth { limits.maximumDepth = try OptionFailure.check("maxDepth", maxDepth, in: 1...10_000) }
        if let maxAttributes {
            limits.maximumAttributes = try OptionFailure.check("maxAttributes", maxAttributes, in: 1...10_000)
        }
        if let maxNodes { limits.maximumNodes = try OptionFailure.check("maxNodes", maxNodes, in: 1...50_000_000) }
        if let maxCharacters {
            let range = 1...max(maximumBodyBytes, 1)
            limits.maximumCharacters = try OptionFailure.check("maxCharacters", maxCharacters, in: range)
        }
        return limits
    }
}

/// The limits at which an XML parser stops reading a document.
///
/// A small body can expand to a large document: entities multiply text, and some costs of libxml2 grow with the square
/// of its input. Each of these is therefore limited.
package struct XMLLimits: Sendable, Hashable {
    /// The maximum depth of nested elements; the root element is at depth 1.
    package var maximumDepth = 256
    /// The maximum number of attributes of one element, including namespace declarations.
    package var maximumAttributes = 1_000
    /// The maximum number of bytes of UTF-8 that a parser delivers in text, attribute values, comments and processing
    /// instructions together. Nil means ten times the size of the body, but at least 1 MiB, and at most 64 MiB or the
    /// size of the body, whichever is larger.
    package var maximumCharacters: Int?
    /// The maximum number of nodes and attributes in a tree. The data of an instruction counts as an attribute. A
    /// parser that builds no tree doesn't count them.
    package var maximumNodes = 5_000_000
    package var doctype = Doctype.ignore

    /// The handling of a document type declaration.
    ///
    /// Only the structure of an accepted declaration is checked: the start and the end of each declaration in it and,
    /// with `allow`, the text of its entities. Names, content models, types and defaults of attributes, public
    /// identifiers, and the text of literals, comments and instructions are not checked against XML 1.0, and no
    /// document is validated. So a document can be accepted that a validating parser would refuse or, if the error is
    /// inside the declaration, that every other parser would refuse.
    package enum Doctype: String, Sendable, Hashable, CaseIterable {
        /// A document with a declaration is refused.
        case refuse
        /// The declaration is skipped with its internal subset, by a scanner of this library, before any parser could
        /// see it. No declaration in it has an effect, not even default values of attributes, and nothing is opened. A
        /// document is refused if it uses an entity other than the five of XML, or if its declaration can't be followed
        /// to its end.
        case ignore
        /// Entities that the internal subset declares as text are expanded, within the limits. If a name is declared
        /// twice, the first declaration is used. Of an unused entity, only the character references are checked. A
        /// document is refused if it uses an entity whose text is markup. It is also refused if it has an element with
        /// an attribute to which the declaration gives a default value or a type other than `CDATA`; the error names
        /// the element and the attribute. Parameter entities, and entities outside the document, are refused as well.
        /// An external subset is never opened. Other declarations have no effect.
        case allow
    }

    /// The default limits, far above the needs of ordinary documents.
    package static let standard = XMLLimits()

    /// The number of bytes that a parser is allowed to deliver for a body of this size: by default at most 64 MiB, or
    /// the size of the body if it is larger.
    func characters(forBodyOf bytes: Int) -> Int {
        if let maximumCharacters { return maximumCharacters }
        let (tenfold, overflow) = bytes.multipliedReportingOverflow(by: 10)
        return max(1 << 20, bytes, min(overflow ? Int.max : tenfold, 64 << 20))
    }
}
