// Decodes the encodings that are older than Unicode (WHATWG Encoding, sections 9 to 14).
extension TextDecoder {
    static func decodeLegacy(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TextEncodingName, lossy: Bool
    ) throws(TextFault) -> String {
        switch encoding {
        case .gbk, .gb18030: return try decode(bytes, with: GB18030Decoder(), lossy: lossy)
        case .big5: return try decode(bytes, with: Big5Decoder(), lossy: lossy)
        case .eucJP: return try decode(bytes, with: EUCJPDecoder(), lossy: lossy)
        case .iso2022JP: return try decode(bytes, with: ISO2022JPDecoder(), lossy: lossy)
        case .shiftJIS: return try decode(bytes, with: ShiftJISDecoder(), lossy: lossy)
        case .eucKR: return try decode(bytes, with: EUCKRDecoder(), lossy: lossy)
        case .userDefined: return try decode(bytes, with: UserDefinedDecoder(), lossy: lossy)
        default:
            guard let index = EncodingIndex.singleByte(encoding) else { throw .noDecoder }
            return try decode(bytes, with: SingleByteDecoder(index: index), lossy: lossy)
        }
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer, with decoder: some SequenceDecoder, lossy: Bool
    ) throws(TextFault) -> String {
        var transcoder = Transcoder(bytes: bytes, decoder: decoder, lossy: lossy)
        var text = String(unsafeUninitializedCapacity: transcoder.likelyLength) { transcoder.write(to: $0) }
        while transcoder.fault == nil, transcoder.offset < bytes.count {
            // No byte becomes more than three bytes of UTF-8, as a character or as an error.
            let most = (bytes.count - transcoder.offset) * 3 + leastRoom
            text += String(unsafeUninitializedCapacity: most) { transcoder.write(to: $0) }
        }
        if let offset = transcoder.fault { throw .malformed(offset: offset) }
        return text
    }
}

/// The free space that `Transcoder.write` needs in its buffer, in bytes. One store writes eight bytes of ASCII or four
/// bytes of a character, even if the text has fewer bytes.
private let leastRoom = 8

/// Decodes an encoding, one byte sequence at a time.
protocol SequenceDecoder {
    /// Whether a byte below 0x80 at the start of a sequence is ASCII.
    static var isASCIISuperset: Bool { get }

    /// The sequence at an offset in the bytes. It has at least one byte, and ends within the bytes.
    mutating func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence
}

extension SequenceDecoder {
    static var isASCIISuperset: Bool { true }
}

/// A byte sequence and its characters.
struct DecodedSequence {
    let length: Int
    let text: UTF8Character
    let isMalformed: Bool
    /// Whether the sequence gives no character and only changes how later bytes are decoded.
    let isShift: Bool

    static func character(_ text: UTF8Character, length: Int) -> Self {
        Self(length: length, text: text, isMalformed: false, isShift: false)
    }

    static func malformed(length: Int) -> Self {
        Self(length: length, text: .replacement, isMalformed: true, isShift: false)
    }

    static func shift(length: Int) -> Self {
        Self(length: length, text: .replacement, isMalformed: false, isShift: true)
    }

    /// A sequence whose character comes from an index. U+FFFD means that the index has no character. The sequence is
    /// then an error. If its last byte is ASCII, this byte is not part of the error and begins the next sequence.
    static func found(_ text: UTF8Character, lastByte: UInt8, length: Int) -> Self {
        if text == .replacement { return .malformed(length: lastByte < 0x80 ? length - 1 : length) }
        return .character(text, length: length)
    }
}

/// Converts bytes to UTF-8 until the output buffer is full.
private struct Transcoder<Decoder: SequenceDecoder> {
    let bytes: UnsafeRawBufferPointer
    var decoder: Decoder
    let lossy: Bool
    private(set) var offset = 0
    /// The position of the first error, if errors are not replaced.
    private(set) var fault: Int?

    /// The size of a buffer that most texts fit in: two bytes of UTF-8 for each byte beyond ASCII. For an encoding that
    /// is no superset of ASCII: three bytes of UTF-8 for two bytes of the text.
    var likelyLength: Int {
        guard Decoder.isASCIISuperset else { return bytes.count + bytes.count / 2 + leastRoom }
        var (high, offset) = (0, 0)
        while offset + 8 <= bytes.count {
            // One bit for each byte beyond ASCII. The product adds all eight in its highest byte; the sum of at most 8
            // cannot overflow.
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) >> 7 & 0x0101_0101_0101_0101
            high += Int((bits &* 0x0101_0101_0101_0101) >> 56)
            offset += 8
        }
        return bytes.count + high + (bytes.count - offset) + leastRoom
    }

    /// Decodes bytes into `output` and returns the number of bytes written. It stops after the last byte, when `output`
    /// is full, or at an error if errors are not replaced.
    mutating func write(to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let output = UnsafeMutableRawBufferPointer(output)
        let lastEnd = output.count - leastRoom
        var (decoder, offset, end) = (decoder, offset, 0)
        defer { (self.decoder, self.offset) = (decoder, offset) }
        // Each store below writes up to eight bytes at `end`, even if the text has fewer bytes; `lastEnd` leaves room
        // for eight. `offset` stays within the bytes and `end` within the buffer, so the unchecked sums cannot
        // overflow.
        while offset < bytes.count, end <= lastEnd {
            if Decoder.isASCIISuperset, bytes[offset] < 0x80 {
                guard bytes.count &- offset >= 8 else {
                    output[end] = bytes[offset]
                    offset &+= 1
                    end &+= 1
                    continue
                }
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                output.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
                let run = (word & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
                offset &+= run
                end &+= run
                continue
            }
            let sequence = decoder.sequence(in: bytes, at: offset)
            if sequence.isMalformed, !lossy {
                fault = offset
                break
            }
            offset &+= sequence.length
            if sequence.isShift { continue }
            output.storeBytes(of: sequence.text.bytes.littleEndian, toByteOffset: end, as: UInt32.self)
            end &+= sequence.text.count
        }
        return end
    }
}

/// WHATWG Encoding, section 9.
struct SingleByteDecoder: SequenceDecoder {
    let index: EncodingIndex

    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        .found(index[Int(bytes[offset]) - 0x80], lastByte: bytes[offset], length: 1)
    }
}

/// WHATWG Encoding, section 14.5.
struct UserDefinedDecoder: SequenceDecoder {
    @inline(__always)
    func sequence(in bytes: UnsafeRawBufferPointer, at offset: Int) -> DecodedSequence {
        .character(UTF8Character(0xF780 + UInt32(bytes[offset]) - 0x80), length: 1)
    }
}

/// WHATWG Encoding, section 12.2.1: bytes of seven bits, whose meaning escape sequences change.
struct ISO2022JPDecoder: SequenceDecoder {
    static var isASCIISuperset: Bool { false }

    private enum CharacterSet {
        case ascii, roman, katakana, jis0208

        /// The character set of the two bytes after an escape character.
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
    /// Whether the last sequence was an escape sequence. A second escape sequence in a row is an error, but still
    /// switches the character set.
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

    private func pair(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> DecodedSequence {
        // An escape character always begins a new sequence.
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
