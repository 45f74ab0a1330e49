// The East Asian encodings in which a byte below 80 at the start of a sequence is ASCII. These decoders are never
// called for such a byte.

/// WHATWG Encoding, section 10.2.1: gb18030, and GBK, which is decoded like it.
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

    /// How many bytes of a malformed sequence form one error: only the first byte if the third or fourth byte is wrong;
    /// all bytes that are left if the end of the bytes cuts the sequence off; all four if they are valid but have no
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

    /// The algorithm "index gb18030 ranges code point" of section 5.
    private static func scalar(of pointer: Int) -> UInt32? {
        switch pointer {
        case 7_457: return 0xE7C7
        case 0...39_419, 189_000...1_237_575: break
        default: return nil
        }
        let ranges = EncodingIndex.gb18030Ranges
        // The range with the pointer is one of `count` ranges from `low` on.
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
    /// The tables hold a character of four bytes as a number: U+E000 stands for 0, U+E001 for 1, and so on. This
    /// property is the character of four bytes in Big5 if `self` stands for a number, else `self`.
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
            // The rows for user-defined characters of Windows, which are a gap in the index.
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
