// The East Asian encodings in which a byte below 0x80 at the start of a sequence is ASCII. The decoders of these
// encodings are never called for such a byte.

/// Decodes gb18030 and GBK, which have the same decoder (WHATWG Encoding, section 10.2.1).
struct GB18030Decoder: SequenceDecoder {
    private let index = EncodingIndex.gb18030

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let lead = bytes[offset]
        if lead == 0x80 { return .character(UTF8Character(0x20AC), length: 1) }
        guard lead < 0xFF, offset + 1 < bytes.count else { return .malformed(length: 1) }
        let trail = bytes[offset + 1]
        switch trail {
        case 0x30...0x39: return fourBytes(bytes, offset)
        case 0x40...0x7E, 0x80...0xFE:
            let pointer = (Int(lead) - 0x81) * 190 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
            return .found(index[pointer], lastByte: trail, length: 2)
        default: return .found(.replacement, lastByte: trail, length: 2)
        }
    }

    /// The four-byte sequence at `offset`. A malformed sequence has a length of one byte if its third or fourth byte is
    /// invalid, of all remaining bytes if `bytes` ends inside the sequence, and of four bytes if the sequence has no
    /// character.
    private func fourBytes(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> DecodedSequence {
        guard offset + 2 < bytes.count else { return .malformed(length: 2) }
        guard (0x81...0xFE).contains(bytes[offset + 2]) else { return .malformed(length: 1) }
        guard offset + 3 < bytes.count else { return .malformed(length: 3) }
        guard (0x30...0x39).contains(bytes[offset + 3]) else { return .malformed(length: 1) }
        let high = (Int(bytes[offset]) - 0x81) * 12_600 + (Int(bytes[offset + 1]) - 0x30) * 1_260
        let low = (Int(bytes[offset + 2]) - 0x81) * 10 + Int(bytes[offset + 3]) - 0x30
        guard let scalar = Self.scalar(of: high + low) else { return .malformed(length: 4) }
        return .character(UTF8Character(scalar), length: 4)
    }

    /// The algorithm "index gb18030 ranges code point" (WHATWG Encoding, section 5).
    private static func scalar(of pointer: Int) -> UInt32? {
        switch pointer {
        case 7_457: return 0xE7C7
        case 0...39_419, 189_000...1_237_575: break
        default: return nil
        }
        let ranges = EncodingIndex.gb18030Ranges
        // A binary search: the range that contains `pointer` is one of the `count` ranges from index `low` on.
        var (low, count) = (0, ranges.count)
        while count > 1 {
            if ranges[low + count / 2].pointer <= pointer { low += count / 2 }
            count -= count / 2
        }
        return ranges[low].scalar + UInt32(pointer - ranges[low].pointer)
    }
}

/// WHATWG Encoding, section 11.1.1.
struct Big5Decoder: SequenceDecoder {
    private let index = EncodingIndex.big5

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let lead = bytes[offset]
        guard lead > 0x80, lead < 0xFF, offset + 1 < bytes.count else { return .malformed(length: 1) }
        let trail = bytes[offset + 1]
        switch trail {
        case 0x40...0x7E, 0xA1...0xFE:
            let pointer = (Int(lead) - 0x81) * 157 + Int(trail) - (trail < 0x7F ? 0x40 : 0x62)
            return .found(index[pointer - EncodingIndex.big5First].long, lastByte: trail, length: 2)
        default: return .found(.replacement, lastByte: trail, length: 2)
        }
    }
}

extension UTF8Character {
    /// The Big5 index stores three bytes for each character. It stores a character of four bytes as a private-use
    /// character: U+E000 plus the index of the character in `big5Long`. This property is the character of four bytes if
    /// `self` is such a private-use character, else `self`.
    fileprivate var long: Self {
        guard bytes & 0xFF == 0xEE else { return self }
        let number = Int(bytes >> 8 & 0x3F) << 6 | Int(bytes >> 16 & 0x3F)
        let table = EncodingIndex.big5Long
        guard number * 4 < table.utf8CodeUnitCount else { return .replacement }
        let word = UnsafeRawPointer(table.utf8Start + number * 4).loadUnaligned(as: UInt32.self)
        return Self(bytes: UInt32(littleEndian: word))
    }
}

/// WHATWG Encoding, section 12.1.1.
struct EUCJPDecoder: SequenceDecoder {
    private let jis0208 = EncodingIndex.jis0208
    private let jis0212 = EncodingIndex.jis0212

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let lead = bytes[offset]
        let isLead = lead == 0x8E || lead == 0x8F || lead >= 0xA1 && lead < 0xFF
        guard isLead, offset + 1 < bytes.count else { return .malformed(length: 1) }
        let trail = bytes[offset + 1]
        switch (lead, trail) {
        case (0x8E, 0xA1...0xDF): return .character(UTF8Character(0xFF61 + UInt32(trail) - 0xA1), length: 2)
        case (0x8F, 0xA1...0xFE):
            guard offset + 2 < bytes.count else { return .malformed(length: 2) }
            let last = bytes[offset + 2]
            return .found(Self.character(trail, last, in: jis0212), lastByte: last, length: 3)
        case (0xA1..., _): return .found(Self.character(lead, trail, in: jis0208), lastByte: trail, length: 2)
        default: return .found(.replacement, lastByte: trail, length: 2)
        }
    }

    private static func character(_ row: UInt8, _ cell: UInt8, in index: EncodingIndex) -> UTF8Character {
        guard cell >= 0xA1, cell < 0xFF else { return .replacement }
        return index[(Int(row) - 0xA1) * 94 + Int(cell) - 0xA1]
    }
}

/// WHATWG Encoding, section 12.3.1.
struct ShiftJISDecoder: SequenceDecoder {
    private let index = EncodingIndex.jis0208

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let lead = bytes[offset]
        switch lead {
        case 0x80: return .character(UTF8Character(0x80), length: 1)
        case 0xA1...0xDF: return .character(UTF8Character(0xFF61 + UInt32(lead) - 0xA1), length: 1)
        case 0xA0, 0xFD...: return .malformed(length: 1)
        default: break
        }
        guard offset + 1 < bytes.count else { return .malformed(length: 1) }
        let trail = bytes[offset + 1]
        switch trail {
        case 0x40...0x7E, 0x80...0xFC:
            let row = Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)
            let pointer = row * 188 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
            if pointer < 8_836 { return .found(index[pointer], lastByte: trail, length: 2) }
            // User-defined characters of Windows. The index has no characters for these pointers.
            if pointer < 10_716 { return .character(UTF8Character(UInt32(0xE000 + pointer - 8_836)), length: 2) }
            return .found(index[pointer - 10_716 + 8_836], lastByte: trail, length: 2)
        default: return .found(.replacement, lastByte: trail, length: 2)
        }
    }
}

/// WHATWG Encoding, section 13.1.1.
struct EUCKRDecoder: SequenceDecoder {
    private let index = EncodingIndex.eucKR

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        let lead = bytes[offset]
        guard lead > 0x80, lead < 0xFF, offset + 1 < bytes.count else { return .malformed(length: 1) }
        let trail = bytes[offset + 1]
        guard trail > 0x40, trail < 0xFF else { return .found(.replacement, lastByte: trail, length: 2) }
        return .found(index[(Int(lead) - 0x81) * 190 + Int(trail) - 0x41], lastByte: trail, length: 2)
    }
}
