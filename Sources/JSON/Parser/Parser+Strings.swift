extension Parser {
    /// Reads a string from its opening quote, and writes its unescaped bytes to `strings`, checked to be UTF-8.
    mutating func string() throws(Fault) {
        let opening = cursor
        cursor += 1
        let record = stringCount
        var output = strings + stringCount + 4
        while true {
            copyPlain(to: &output)
            guard cursor < end else {
                cursor = opening
                throw fault(.unexpectedEnd, "the string that starts here has no end")
            }
            let byte = cursor.pointee
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                try escape(to: &output)
            } else if byte < 0x20 {
                throw fault(.controlCharacter, "a control character in a string must be escaped")
            } else {
                try sequence(to: &output)
            }
        }
        cursor += 1
        let length = output - (strings + record + 4)
        let header = UInt32(truncatingIfNeeded: length).littleEndian
        UnsafeMutableRawPointer(strings + record).storeBytes(of: header, as: UInt32.self)
        output.pointee = 0
        stringCount = record + 4 + length + 1
        words[wordCount] = Tag.word(Tag.string, UInt64(record))
        wordCount += 1
    }

    /// Copies ASCII up to a quote, a backslash, a control character or a longer sequence, eight bytes at a time.
    @inline(__always)
    private mutating func copyPlain(to output: inout UnsafeMutablePointer<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while end - cursor >= 8 {
            let chunk = UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
            // All eight bytes are written. Later writes overwrite the bytes after the plain bytes.
            UnsafeMutableRawPointer(output).storeBytes(of: chunk.littleEndian, as: UInt64.self)
            let quotes = chunk ^ (ones &* 0x22)
            let slashes = chunk ^ (ones &* 0x5C)
            let stops =
                (chunk | (chunk &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones)) & tops
            if stops == 0 {
                cursor += 8
                output += 8
                continue
            }
            // The lowest mark is exact; a borrow can only cause false marks above it.
            let plain = stops.trailingZeroBitCount / 8
            cursor += plain
            output += plain
            return
        }
        while cursor < end {
            let byte = cursor.pointee
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            output.pointee = byte
            output += 1
            cursor += 1
        }
    }

    /// One well-formed sequence of two to four bytes, by table 3-7 of the Unicode standard.
    private mutating func sequence(to output: inout UnsafeMutablePointer<UInt8>) throws(Fault) {
        repeat {
            let first = cursor.pointee
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0xC2...0xDF: length = 2
            case 0xE0...0xEF:
                length = 3
                if first == 0xE0 { second = 0xA0...0xBF }
                if first == 0xED { second = 0x80...0x9F }
            case 0xF0...0xF4:
                length = 4
                if first == 0xF0 { second = 0x90...0xBF }
                if first == 0xF4 { second = 0x80...0x8F }
            default: length = 0
            }
            guard length > 0, end - cursor >= length, second.contains(cursor[1]),
                length < 3 || cursor[2] & 0xC0 == 0x80, length < 4 || cursor[3] & 0xC0 == 0x80
            else { throw fault(.utf8, "the bytes here are not UTF-8") }
            for offset in 0..<length { output[offset] = cursor[offset] }
            output += length
            cursor += length
        } while cursor < end && cursor.pointee >= 0x80
    }

    private mutating func escape(to output: inout UnsafeMutablePointer<UInt8>) throws(Fault) {
        guard end - cursor >= 2 else { throw fault(.escape, "an escape sequence is cut off") }
        let byte: UInt8
        switch cursor[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = cursor[1]
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"): return try unicodeEscape(to: &output)
        default: throw fault(.escape, "a backslash is followed by a character that cannot be escaped")
        }
        output.pointee = byte
        output += 1
        cursor += 2
    }

    private mutating func unicodeEscape(to output: inout UnsafeMutablePointer<UInt8>) throws(Fault) {
        var value = try hexUnit(at: cursor)
        var length = 6
        if value & 0xF800 == 0xD800 {
            let next = cursor + 6
            guard value < 0xDC00, end - next >= 2, next[0] == UInt8(ascii: "\\"), next[1] == UInt8(ascii: "u"),
                case let low = try hexUnit(at: next), low & 0xFC00 == 0xDC00
            else { throw fault(.surrogate, "an escaped surrogate is not part of a pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            length = 12
        }
        cursor += length
        // A lone surrogate was refused above.
        guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) else { return }
        for byte in bytes {
            output.pointee = byte
            output += 1
        }
    }

    private func hexUnit(at place: UnsafePointer<UInt8>) throws(Fault) -> UInt32 {
        var value: UInt32 = 0
        for offset in 2..<6 {
            guard end - place > offset, let digit = Self.hexDigit(place[offset]) else {
                throw fault(.escape, "expected four hexadecimal digits after \\u")
            }
            value = value << 4 | digit
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
