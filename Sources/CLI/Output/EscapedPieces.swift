/// Makes text that comes in pieces harmless on a terminal, wherever a piece ends.
struct EscapedPieces {
    /// The end of the last piece, which may be the beginning of a character or of a line end.
    private var kept: [UInt8] = []
    private var endsLine = true

    /// What to show of the text so far, and whether all of it was text; what follows that is of no use.
    mutating func take(_ piece: some Sequence<UInt8>) -> (shown: String, isText: Bool) {
        kept += piece
        let end = kept.count - Self.unfinished(kept)
        return show(end)
    }

    /// What is left, and a line end where there is none.
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

    /// How many bytes at the end may be the beginning of something: a CR, or a character of UTF-8 that is not complete.
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
