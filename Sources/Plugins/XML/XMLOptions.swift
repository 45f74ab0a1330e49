/// The options that both XML factories have.
public struct XMLOptions: Decodable, Sendable {
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
