import PatchbayJSON

/// Text of someone else's in a message of ours: quoted, escaped and cut to a length that a reader can take in.
struct Quoted: CustomStringConvertible {
    private static let limit = 80
    let text: String

    init(_ text: String) { self.text = text }

    var description: String {
        let scalars = text.unicodeScalars
        let cut = scalars.index(scalars.startIndex, offsetBy: Self.limit, limitedBy: scalars.endIndex)
        guard let cut, cut < scalars.endIndex else { return JSON(text).serialized() }
        return JSON(String(scalars[..<cut]) + "…").serialized()
    }
}

/// Several such texts, with commas between them, and not more of them than a reader can take in.
struct QuotedList: CustomStringConvertible {
    static let limit = 8
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
