import PatchbayJSON
import PatchbayRegistry

/// The options that both XML factories have.
struct XMLOptions: Decodable, Sendable {
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
    /// - Throws: `InvalidOption`.
    func limits(maximumBodyBytes: Int) throws(InvalidOption) -> XMLLimits {
        var limits = XMLLimits(doctype: doctype?.value ?? .ignore)
        if let maxDepth { limits.maximumDepth = try InvalidOption.check("maxDepth", maxDepth, in: 1...10_000) }
        if let maxAttributes {
            limits.maximumAttributes = try InvalidOption.check("maxAttributes", maxAttributes, in: 1...10_000)
        }
        if let maxNodes { limits.maximumNodes = try InvalidOption.check("maxNodes", maxNodes, in: 1...50_000_000) }
        if let maxCharacters {
            limits.maximumCharacters = try InvalidOption.check("maxCharacters", maxCharacters, in: 1...maximumBodyBytes)
        }
        return limits
    }
}

extension ManifestObject {
    /// The keys of `XMLDocumentOptions`.
    static let xmlDocumentOptions = ManifestObject(
        "xmlDocumentOptions",
        xmlOptions.keys + [
            ManifestKey(
                "decodes", .bool, default: false,
                "Whether the entry makes any `Decodable` type from the document, beside the tree.")
        ])

    /// The keys of `XMLOptions`.
    static let xmlOptions = ManifestObject(
        "xmlOptions",
        [
            ManifestKey(
                "doctype", .words(XMLLimits.Doctype.allCases.map(\.rawValue)), default: "ignore",
                "What becomes of a document type declaration: it is passed over, or refused, or the entities that it declares as text are put in place."
            ),
            ManifestKey(
                "maxDepth", .integer(1...10_000), default: 256,
                "How deep elements may lie in each other; the root is at depth 1."),
            ManifestKey(
                "maxAttributes", .integer(1...10_000), default: 1_000,
                "How many attributes an element may have, namespace declarations included."),
            ManifestKey(
                "maxCharacters", .integer(1...Int.max),
                "How many bytes of UTF-8 the text may come to once entities are in place, and no more than the largest body; without it ten times the body, at least 1 MiB and at most 64 MiB."
            ),
            ManifestKey(
                "maxNodes", .integer(1...50_000_000), default: 5_000_000,
                "How many nodes and attributes a tree may have; `xml-parser` makes none."),
        ])
}
