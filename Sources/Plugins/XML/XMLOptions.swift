import PatchbayJSON
import PatchbayRegistry

/// The options that both XML factories have.
package struct XMLOptions: Decodable, Sendable {
    /// `"ignore"` (the default), `"refuse"` or `"allow"`.
    var doctype: Choice<XMLLimits.Doctype>?
    /// 1 to 10,000; the default is 256.
    var maxDepth: Int?
    /// 1 to 10,000; the default is 1,000.
    var maxAttributes: Int?
    /// In bytes of UTF-8; the default is ten times the size of the body, and at least 1 MiB.
    var maxCharacters: Int?
    /// 1 to 50,000,000; the default is 5,000,000. For trees only.
    var maxNodes: Int?

    /// The limits they stand for; the text never passes the largest body that the entry takes.
    /// - Throws: `OptionFailure`.
    package func limits(maximumBodyBytes: Int) throws(OptionFailure) -> XMLLimits {
        var limits = XMLLimits(doctype: doctype?.value ?? .ignore)
        if let maxDepth { limits.maximumDepth = try OptionFailure.check("maxDepth", maxDepth, in: 1...10_000) }
        if let maxAttributes {
            limits.maximumAttributes = try OptionFailure.check("maxAttributes", maxAttributes, in: 1...10_000)
        }
        if let maxNodes { limits.maximumNodes = try OptionFailure.check("maxNodes", maxNodes, in: 1...50_000_000) }
        if let maxCharacters {
            limits.maximumCharacters = try OptionFailure.check("maxCharacters", maxCharacters, in: 1...maximumBodyBytes)
        }
        return limits
    }
}

/// How much of a document an XML parser takes in before it stops.
///
/// A small body can stand for a large document: entities multiply text, and some costs of libxml2 grow with the square of
/// what they are given. So each is counted.
package struct XMLLimits: Sendable, Hashable {
    /// How deep elements may be nested; the root element is at depth 1.
    package var maximumDepth = 256
    /// How many attributes one element may have, namespace declarations included.
    package var maximumAttributes = 1_000
    /// How many bytes of UTF-8 may be handed on in text, attribute values, comments and processing instructions together; nil
    /// stands for ten times the size of the body, but at least 1 MiB and at most the larger of 64 MiB and that size.
    package var maximumCharacters: Int?
    /// How many nodes and attributes a tree may have, the data of an instruction counted as an attribute; a parser that makes
    /// no tree does not count them.
    package var maximumNodes = 5_000_000
    package var doctype = Doctype.ignore

    /// What becomes of a document type declaration.
    ///
    /// Of one that is taken in, only its structure is looked at: where each declaration begins and ends, and with `allow` what entities
    /// stand for. Whether names, models of content, types and defaults of attributes, public identifiers and the text of literals,
    /// comments and instructions in it are as XML 1.0 says is not checked, and no document is held against it. So a document can be
    /// accepted that a validating parser, or for an error inside the declaration any other, would refuse.
    package enum Doctype: String, Sendable, Hashable, CaseIterable {
        /// A document that has one is refused.
        case refuse
        /// It is passed over, with its internal subset, by a scanner of ours and so before any parser could see it: no declaration
        /// has an effect, of default values of attributes neither, and nothing is opened. A document that uses an entity
        /// beyond the five of XML is refused, and one whose declaration cannot be followed to its end.
        case ignore
        /// Entities that the internal subset declares as text are put in place, within the limits; the first declaration of a name
        /// counts. An entity that is not used is checked for its character references alone. A document is refused if it uses an
        /// entity that stands for markup, or has an element with an attribute to which the declaration gives a default value or a
        /// type other than `CDATA`; the sentence names both. Parameter entities, and entities outside the document, are refused
        /// as well. An external subset is never opened. Other declarations have no effect.
        case allow
    }

    /// Far above what honest documents need.
    package static let standard = XMLLimits()

    /// The number of bytes that may be handed on for a body of so many: by default never more than 64 MiB, or the body itself.
    func characters(forBodyOf bytes: Int) -> Int {
        if let maximumCharacters { return maximumCharacters }
        let (tenfold, overflow) = bytes.multipliedReportingOverflow(by: 10)
        return max(1 << 20, bytes, min(overflow ? Int.max : tenfold, 64 << 20))
    }
}
