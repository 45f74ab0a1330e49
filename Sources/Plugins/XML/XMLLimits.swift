/// How much of a document an XML parser takes in before it stops.
///
/// A small body can stand for a large document: entities multiply text, and some costs of libxml2 grow with the square of
/// what they are given. So each is counted.
public struct XMLLimits: Sendable, Hashable {
    /// How deep elements may be nested; the root element is at depth 1.
    public var maximumDepth: Int
    /// How many attributes one element may have, namespace declarations included.
    public var maximumAttributes: Int
    /// How many bytes of UTF-8 may be handed on in text, attribute values, comments and processing instructions together; nil
    /// stands for ten times the size of the body, but at least 1 MiB and at most the larger of 64 MiB and that size.
    public var maximumCharacters: Int?
    /// How many nodes and attributes a tree may have, the data of an instruction counted as an attribute; a parser that makes
    /// no tree does not count them.
    public var maximumNodes: Int
    /// What becomes of a document type declaration.
    public var doctype: Doctype

    /// What becomes of a document type declaration.
    ///
    /// Of one that is taken in, only its structure is looked at: where each declaration begins and ends, and with `allow` what entities
    /// stand for. Whether names, models of content, types and defaults of attributes, public identifiers and the text of literals,
    /// comments and instructions in it are as XML 1.0 says is not checked, and no document is held against it. So a document can be
    /// accepted that a validating parser, or for an error inside the declaration any other, would refuse.
    public enum Doctype: String, Sendable, Hashable, CaseIterable {
        /// A document that has one is refused.
        case refuse
        /// It is passed over, with its internal subset, by a scanner of ours and so before any parser could see it: no declaration
        /// has an effect, of default values of attributes neither, and nothing is opened. A document that uses an entity
        /// beyond the five of XML is refused, and one whose declaration cannot be followed to its end.
        case ignore
        /// Entities that the internal subset declares as text are put in place, within the limits; the first declaration of a name
        /// counts. One that is not used is checked for its character references alone. Its other declarations have no effect: no
        /// attribute gets a default, nor its value trimmed for a type other than `CDATA`. Parameter entities, entities that stand for markup, and such as name something outside the document are
        /// refused; an external subset is never opened.
        case allow
    }

    /// Limits with these values; as they stand, far above what honest documents need.
    public init(
        maximumDepth: Int = 256, maximumAttributes: Int = 1_000, maximumCharacters: Int? = nil,
        maximumNodes: Int = 5_000_000, doctype: Doctype = .ignore
    ) {
        self.maximumDepth = maximumDepth
        self.maximumAttributes = maximumAttributes
        self.maximumCharacters = maximumCharacters
        self.maximumNodes = maximumNodes
        self.doctype = doctype
    }

    /// The number of bytes that may be handed on for a body of so many: by default never more than 64 MiB, or the body itself.
    func characters(forBodyOf bytes: Int) -> Int {
        if let maximumCharacters { return maximumCharacters }
        let (tenfold, overflow) = bytes.multipliedReportingOverflow(by: 10)
        return max(1 << 20, bytes, min(overflow ? Int.max : tenfold, 64 << 20))
    }
}
