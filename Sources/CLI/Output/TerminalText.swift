import PatchbayPlatform

/// Makes text harmless on a terminal. Characters that move the cursor, change colours or change the direction of text
/// are escaped.
enum TerminalText {
    /// Writes control characters except line feed and tab, direction marks and invisible separators as `\u{1B}`. CR LF
    /// becomes LF; a lone CR is escaped, because the following text would overwrite the line.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var result = ""
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            if isDangerous(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Text on one line: escaped like `escaped`, and line feeds and tabs are escaped, too.
    static func line(_ text: String) -> String {
        escaped(text).replacing("\n", with: "\\n").replacing("\t", with: "\\t")
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        // The joiners make emoji and the letters of many scripts.
        case "\t", "\n", "\u{200C}", "\u{200D}": false
        default: scalar.isInvisible
        }
    }
}

/// Makes text harmless that arrives in pieces. A piece can end anywhere, even inside a character.
struct EscapedPieces {
    /// The end of the last piece, if it is possibly the start of a character or of a line end.
    private var kept: [UInt8] = []
    private var endsLine = true

    /// The printable text up to the end of the piece, and whether all bytes were text. After bytes that are not text,
    /// no more is printed.
    mutating func take(_ piece: some Sequence<UInt8>) -> (shown: String, isText: Bool) {
        kept += piece
        let end = kept.count - Self.unfinished(kept)
        return show(end)
    }

    /// The remaining text, with a line end if it has none.
    mutating func finish() -> (shown: String, isText: Bool) {
        let (shown, isText) = show(kept.count)
        return (endsLine ? shown : shown + "\n", isText)
    }

    private mutating func show(_ end: Int) -> (shown: String, isText: Bool) {
        guard let text = String(validating: kept[..<end], as: UTF8.self) else {
            kept = []
            return ("", false)
        }
        kept.removeFirst(end)
        if let last = text.utf8.last { endsLine = last == UInt8(ascii: "\n") }
        return (TerminalText.escaped(text), true)
    }

    /// The number of bytes at the end that are possibly a beginning: a CR, or an incomplete UTF-8 character.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        if bytes.last == UInt8(ascii: "\r") { return 1 }
        for count in 1...3 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > count ? count : 0
        }
        return 0
    }
}

extension String {
    /// The noun for so many things: `change`, `changes`.
    func plural(_ count: Int) -> String { count == 1 ? self : self + "s" }
}
