import PatchbayRegistry

/// Finds the end of a value, over any number of pieces, and reads each byte once. A parser checks the value itself.
struct JSONScanner {
    /// The number of open brackets. Their kinds don't matter here: a parser refuses brackets that don't match.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// The offset of the next byte outside strings and brackets that separates values, or that closes their container;
    /// nil if there is none before the end.
    mutating func boundary(
        in bytes: UnsafeRawBufferPointer, from start: Int, upTo end: Int, separator: UInt8, closer: UInt8?
    ) -> Int? {
        next(in: bytes, from: start, upTo: end) { byte, depth in depth == 0 && (byte == separator || byte == closer) }
    }

    /// The offset after the object or array with which the first piece begins; nil if it has not ended yet.
    mutating func endOfContainer(in bytes: UnsafeRawBufferPointer, from start: Int, upTo end: Int) -> Int? {
        let last = next(in: bytes, from: start, upTo: end) { byte, depth in depth == 1 && Self.isCloser(byte) }
        guard let last else { return nil }
        depth = 0
        return last + 1
    }

    /// The offset of the next byte that the closure accepts. The closure is called for bytes outside strings that are
    /// neither an opening bracket nor a quote, with the number of brackets that are open before the byte.
    @inline(__always)
    private mutating func next(
        in bytes: UnsafeRawBufferPointer, from start: Int, upTo end: Int, where isIt: (UInt8, Int) -> Bool
    ) -> Int? {
        var offset = start
        while offset < end {
            if isInString {
                offset = endOfString(in: bytes, from: offset, upTo: end)
                continue
            }
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            default:
                if isIt(byte, depth) { return offset }
                if depth > 0, Self.isCloser(byte) { depth -= 1 }
            }
            offset += 1
        }
        return nil
    }

    private static func isCloser(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") }

    /// The offset after the string; `end` if the string continues in the next piece.
    private mutating func endOfString(in bytes: UnsafeRawBufferPointer, from start: Int, upTo end: Int) -> Int {
        var offset = start
        if isEscaped {
            isEscaped = false
            offset += 1
        }
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") {
                isInString = false
                return offset
            }
            if byte == UInt8(ascii: "\\") {
                if offset == end { isEscaped = true }
                offset += 1
            }
        }
        return end
    }
}

extension UnsafeRawBufferPointer {
    /// The first offset of a byte that is not JSON white space (RFC 8259, section 2); `end` if there is none.
    func firstNonBlank(from offset: Int, upTo end: Int) -> Int {
        var offset = offset
        while offset < end, Self.isBlank(self[offset]) { offset += 1 }
        return offset
    }

    var isBlank: Bool { firstNonBlank(from: 0, upTo: count) == count }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
