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
