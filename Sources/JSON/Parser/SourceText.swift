/// Finds positions in the text of a document.
struct SourceText {
    let bytes: UnsafeRawBufferPointer

    var markLength: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The line and the column, both from 1, of a byte. Columns count Unicode scalars.
    func position(ofOffset offset: Int) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        var previous: UInt8 = 0
        for byte in bytes[min(markLength, offset)..<min(offset, bytes.count)] {
            if byte == 0x0A || byte == 0x0D {
                if !(byte == 0x0A && previous == 0x0D) { line += 1 }
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
            previous = byte
        }
        return (line, column)
    }

    /// The number of line breaks in a range that does not begin or end inside of one.
    func lineBreaks(in range: Range<Int>) -> Int {
        range.count { bytes[$0] == 0x0A || bytes[$0] == 0x0D && !($0 + 1 < bytes.count && bytes[$0 + 1] == 0x0A) }
    }

    /// The offset of the first byte of the token of a tape word.
    ///
    /// The tape must have been filled from these bytes, without removed members: words and tokens then have the same
    /// order.
    func offset(ofWord word: Int, in tape: Tape) -> Int? {
        var offset: Int?
        forEachToken(of: tape) { index, token in
            if index == word { offset = token.lowerBound }
            return offset == nil
        }
        return offset
    }

    /// Calls the body with each word of a tape that was filled from these bytes, and with the token of the word, until
    /// the body returns false. The second words of numbers are left out.
    func forEachToken(of tape: Tape, _ body: (_ word: Int, _ token: Range<Int>) -> Bool) {
        var cursor = markLength
        var index = 1
        while cursor < bytes.count {
            let start = cursor
            var words = 1
            switch bytes[cursor] {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"):
                cursor += 1
                continue
            default:
                break
            }
            switch tape.tag(at: index) {
            case Tag.string:
                cursor = endOfString(from: cursor)
            case Tag.object, Tag.array, Tag.endObject, Tag.endArray:
                cursor += 1
            case Tag.int, Tag.uint, Tag.double:
                cursor = endOfScalar(from: cursor)
                words = 2
            default:
                cursor = endOfScalar(from: cursor)
            }
            guard body(index, start..<max(start, min(cursor, bytes.count))) else { return }
            index += words
        }
    }

    private func endOfString(from start: Int) -> Int {
        var cursor = start + 1
        while cursor < bytes.count && bytes[cursor] != UInt8(ascii: "\"") {
            cursor += bytes[cursor] == UInt8(ascii: "\\") ? 2 : 1
        }
        return cursor + 1
    }

    private func endOfScalar(from start: Int) -> Int {
        var cursor = start + 1
        while cursor < bytes.count {
            switch bytes[cursor] {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return cursor
            default: cursor += 1
            }
        }
        return cursor
    }
}
