/// Makes text harmless on a terminal: what would move the cursor, change colours or turn the reading direction is spelled out.
enum TerminalText {
    /// Control characters but line feed and tab, marks of direction and invisible separators as `\u{1B}`. CR LF ends a line as LF
    /// does, and becomes that; a CR alone would have what follows written over the line.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var result = ""
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if scalar == "\r", next == "\n" { continue }
            if isDangerous(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same on one line: line feeds and tabs are spelled out too.
    static func line(_ text: String) -> String {
        var result = ""
        for scalar in escaped(text).unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        // C0, DEL and C1, which hold ESC, CR, backspace and the one-byte CSI.
        case 0x00...0x1F, 0x7F...0x9F: true
        // Bidirectional marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Zero width, line and paragraph separators, byte order mark, interlinear annotation, tags.
        case 0x200B, 0x2028, 0x2029, 0x2060, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}

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
