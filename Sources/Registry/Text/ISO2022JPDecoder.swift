/// WHATWG Encoding, section 12.2.1: the bytes are of seven bits, and escape sequences say what they stand for.
struct ISO2022JPDecoder: SequenceDecoder {
    static var isASCIISuperset: Bool { false }

    private enum CharacterSet {
        case ascii, roman, katakana, jis0208

        /// The set that the two bytes behind an escape character call for.
        init?(_ first: UInt8, _ second: UInt8) {
            switch (first, second) {
            case (0x28, 0x42): self = .ascii
            case (0x28, 0x4A): self = .roman
            case (0x28, 0x49): self = .katakana
            case (0x24, 0x40), (0x24, 0x42): self = .jis0208
            default: return nil
            }
        }
    }

    private let index = EncodingIndex.jis0208
    private var set = CharacterSet.ascii
    /// Whether an escape sequence was the last to be read: a second one is an error, though it counts.
    private var isBehindEscape = false

    @inline(__always)
    mutating func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let byte = bytes[offset]
        if byte == 0x1B { return escape(bytes, offset) }
        isBehindEscape = false
        switch (set, byte) {
        case (.roman, 0x5C): return .character(UTF8Character(0xA5), length: 1)
        case (.roman, 0x7E): return .character(UTF8Character(0x203E), length: 1)
        case (.ascii, 0x0E...0x0F), (.roman, 0x0E...0x0F): return .malformed(length: 1)
        case (.ascii, ..<0x80), (.roman, ..<0x80): return .character(UTF8Character(UInt32(byte)), length: 1)
        case (.katakana, 0x21...0x5F): return .character(UTF8Character(0xFF61 + UInt32(byte) - 0x21), length: 1)
        case (.jis0208, 0x21...0x7E): return pair(bytes, offset)
        default: return .malformed(length: 1)
        }
    }

    /// Whether all bytes of the sequence at an offset are there, as far as that can be known.
    func isWhole(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        let byte = bytes[offset]
        if byte == 0x1B { return bytes.count - offset > 2 }
        return set != .jis0208 || !(0x21...0x7E).contains(byte) || bytes.count - offset > 1
    }

    private func pair(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> DecodedSequence {
        // An escape character begins a sequence of its own, whatever it comes after.
        guard offset + 1 < bytes.count, bytes[offset + 1] != 0x1B else { return .malformed(length: 1) }
        let (lead, trail) = (bytes[offset], bytes[offset + 1])
        guard (0x21...0x7E).contains(trail) else { return .malformed(length: 2) }
        let character = index[(Int(lead) - 0x21) * 94 + Int(trail) - 0x21]
        return character == .replacement ? .malformed(length: 2) : .character(character, length: 2)
    }

    private mutating func escape(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> DecodedSequence {
        guard offset + 2 < bytes.count, let new = CharacterSet(bytes[offset + 1], bytes[offset + 2]) else {
            isBehindEscape = false
            return .malformed(length: 1)
        }
        defer { (set, isBehindEscape) = (new, true) }
        return isBehindEscape ? .malformed(length: 3) : .shift(length: 3)
    }
}
