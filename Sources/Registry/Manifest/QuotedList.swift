/// Several texts of someone else's, with commas between them, and not more of them than a reader can take in.
struct QuotedList: CustomStringConvertible {
    private static let limit = 8
    let texts: [String]
    let isQuoted: Bool

    init(_ texts: [String], quoted: Bool = true) {
        self.texts = texts
        isQuoted = quoted
    }

    var description: String {
        let shown = texts.prefix(Self.limit).map { isQuoted ? Quoted($0).description : $0 }.joined(separator: ", ")
        return texts.count > Self.limit ? "\(shown) and \(texts.count - Self.limit) more" : shown
    }
}
