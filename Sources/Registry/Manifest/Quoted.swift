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
