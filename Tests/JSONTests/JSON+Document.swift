import PatchbayJSON

extension JSON {
    /// Parses a text, for tests of the rule that was broken.
    init(document text: String, options: ParseOptions = .init()) throws(ParseFailure) {
        try self.init(document: Array(text.utf8), options: options)
    }
}
