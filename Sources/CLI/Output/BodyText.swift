import Patchbay
import PatchbayPlatform

/// The beginning of the body of a request, for a person.
struct BodyText {
    /// One screen.
    private static let (mostLines, mostCharacters) = (20, 1_600)
    /// The most bytes in which secrets are looked for.
    static let mostBytes = 8 << 10

    /// Nil if the bytes are not text.
    private let text: String?
    private let type: MediaType?
    private let isWhole: Bool
    /// The length of the whole body; nil if it is unknown.
    private let length: Int?

    init(_ bytes: Data, of length: Int?, _ type: MediaType?) {
        let beginning = bytes.prefix(Self.mostBytes)
        let isWhole = beginning.count == length
        // The beginning can end inside a character.
        text = (0...(isWhole ? 0 : 3)).lazy.compactMap { String(validating: beginning.dropLast($0), as: UTF8.self) }
            .first.flatMap { $0.contains("\0") ? nil : $0 }
        (self.type, self.isWhole, self.length) = (type, isWhole, length)
    }

    func lines(showsSecrets: Bool) -> [String] {
        guard length != 0 else { return [] }
        let size = length.map { "\(ByteCount($0))" } ?? "bytes"
        guard let text else { return ["* its body is \(size) that are not text"] }
        guard let shown = showsSecrets ? text : Secrets.masked(body: text, type, isWhole: isWhole) else {
            return ["* its body is \(size) with the name of a secret; --show-secrets shows them"]
        }
        var lines = shown.prefix(Self.mostCharacters).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last?.isEmpty == true { lines.removeLast() }
        let isCut = lines.count > Self.mostLines || shown.count > Self.mostCharacters || !isWhole && length != nil
        return [">"] + lines.prefix(Self.mostLines).map { "> " + TerminalText.line(String($0)) }
            + (isCut ? ["* this is the beginning of \(size)"] : [])
    }
}
