import PatchbayRegistry

/// The decoders of the WHATWG Encoding Standard as it words them: a handler that takes one byte at a time and may put bytes back.
/// Slow and plain, so that it can be read beside the standard (sections 8 to 14) and ours be held against it.
struct StandardDecoder {
    struct Outcome: Equatable {
        /// With U+FFFD for every error.
        var text: [UInt32] = []
        /// Where the first sequence begins that is an error.
        var offset: Int?
    }

    static func decode(_ bytes: [UInt8], _ encoding: TextEncodingName, _ indexes: StandardIndexes) -> Outcome {
        var decoder = StandardDecoder(encoding: encoding, indexes: indexes)
        var outcome = Outcome()
        var start = 0
        while true {
            let byte = decoder.position < bytes.count ? bytes[decoder.position] : nil
            if byte != nil { decoder.position += 1 }
            switch decoder.handle(byte) {
            case .finished: return outcome
            case .continues: continue
            case .shifted: break
            case .text(let scalars): outcome.text += scalars
            case .error:
                outcome.text.append(0xFFFD)
                outcome.offset = outcome.offset ?? start
            }
            start = decoder.position
        }
    }

    private enum Answer {
        case finished, continues, error
        /// It continues too, and what was read so far is no part of a character.
        case shifted
        case text([UInt32])

        static func scalar(_ value: UInt32) -> Self { .text([value]) }
    }

    private enum State {
        case ascii, roman, katakana, leading, trailing, escapeStart, escape
    }

    private let encoding: TextEncodingName
    private let indexes: StandardIndexes
    /// How many bytes of the queue are read; to restore bytes is to go back.
    private var position = 0
    private var (first, second, third) = (UInt8(0), UInt8(0), UInt8(0))
    private var isJIS0212 = false
    private var (state, outputState, output) = (State.ascii, State.ascii, false)
    private var (unit, leadingSurrogate) = (UInt8?.none, UInt32?.none)
    private var (scalar, seen, needed, lower, upper) = (UInt32(0), 0, 0, UInt8(0x80), UInt8(0xBF))

    private init(encoding: TextEncodingName, indexes: StandardIndexes) {
        self.encoding = encoding
        self.indexes = indexes
    }

    private mutating func handle(_ byte: UInt8?) -> Answer {
        switch encoding {
        case .utf8: utf8(byte)
        case .utf16LE, .utf16BE: utf16(byte)
        case .gbk, .gb18030: gb18030(byte)
        case .eucJP: eucJP(byte)
        case .iso2022JP: iso2022JP(byte)
        case .big5, .shiftJIS, .eucKR: twoBytes(byte)
        case .replacement: replacement(byte)
        default: singleByte(byte)
        }
    }

    /// Sections 9 and 14.5.
    private func singleByte(_ byte: UInt8?) -> Answer {
        guard let byte else { return .finished }
        if byte < 0x80 { return .scalar(UInt32(byte)) }
        if encoding == .userDefined { return .scalar(0xF780 + UInt32(byte) - 0x80) }
        let index = encoding == .logicalHebrew ? "iso-8859-8" : encoding.rawValue.lowercased()
        return indexes[index, Int(byte) - 0x80].map(Answer.scalar) ?? .error
    }

    /// Section 14.1.
    private mutating func replacement(_ byte: UInt8?) -> Answer {
        guard byte != nil, !output else { return .finished }
        output = true
        return .error
    }

    /// Section 10.2.1.
    private mutating func gb18030(_ byte: UInt8?) -> Answer {
        let pending = (first, second, third)
        guard let byte else {
            (first, second, third) = (0, 0, 0)
            return pending == (0, 0, 0) ? .finished : .error
        }
        if third != 0 {
            (first, second, third) = (0, 0, 0)
            guard (0x30...0x39).contains(byte) else {
                position -= 3
                return .error
            }
            let leading = (Int(pending.0) - 0x81) * 12_600 + (Int(pending.1) - 0x30) * 1_260
            let pointer = leading + (Int(pending.2) - 0x81) * 10 + Int(byte) - 0x30
            return indexes.gb18030Ranges(pointer).map(Answer.scalar) ?? .error
        }
        if second != 0 {
            guard !(0x81...0xFE).contains(byte) else {
                third = byte
                return .continues
            }
            position -= 2
            (first, second) = (0, 0)
            return .error
        }
        if first != 0 {
            guard !(0x30...0x39).contains(byte) else {
                second = byte
                return .continues
            }
            first = 0
            var pointer: Int?
            if (0x40...0x7E).contains(byte) || (0x80...0xFE).contains(byte) {
                pointer = (Int(pending.0) - 0x81) * 190 + Int(byte) - (byte < 0x7F ? 0x40 : 0x41)
            }
            return pair("gb18030", pointer, byte)
        }
        if byte == 0x80 { return .scalar(0x20AC) }
        return lead(byte, byte >= 0x81 && byte <= 0xFE)
    }

    /// Sections 11.1.1, 12.3.1 and 13.1.1.
    private mutating func twoBytes(_ byte: UInt8?) -> Answer {
        let leading = first
        guard let byte else {
            first = 0
            return leading == 0 ? .finished : .error
        }
        guard leading != 0 else {
            guard encoding == .shiftJIS else { return lead(byte, byte >= 0x81 && byte <= 0xFE) }
            if byte == 0x80 { return .scalar(0x80) }
            if (0xA1...0xDF).contains(byte) { return .scalar(0xFF61 - 0xA1 + UInt32(byte)) }
            return lead(byte, (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte))
        }
        first = 0
        let isLow = (0x40...0x7E).contains(byte)
        var pointer: Int?
        switch encoding {
        case .big5:
            if isLow || (0xA1...0xFE).contains(byte) {
                pointer = (Int(leading) - 0x81) * 157 + Int(byte) - (byte < 0x7F ? 0x40 : 0x62)
            }
            let two: [Int: [UInt32]] = [
                1133: [0xCA, 0x304], 1135: [0xCA, 0x30C], 1164: [0xEA, 0x304], 1166: [0xEA, 0x30C],
            ]
            if let pointer, let scalars = two[pointer] { return .text(scalars) }
            return pair("big5", pointer, byte)
        case .shiftJIS:
            if isLow || (0x80...0xFC).contains(byte) {
                let row = Int(leading) - (leading < 0xA0 ? 0x81 : 0xC1)
                pointer = row * 188 + Int(byte) - (byte < 0x7F ? 0x40 : 0x41)
            }
            if let pointer, (8836...10715).contains(pointer) { return .scalar(UInt32(0xE000 - 8836 + pointer)) }
            return pair("jis0208", pointer, byte)
        default:
            if (0x41...0xFE).contains(byte) { pointer = (Int(leading) - 0x81) * 190 + Int(byte) - 0x41 }
            return pair("euc-kr", pointer, byte)
        }
    }

    /// Section 12.1.1.
    private mutating func eucJP(_ byte: UInt8?) -> Answer {
        let leading = first
        guard let byte else {
            first = 0
            return leading == 0 ? .finished : .error
        }
        if leading == 0x8E, (0xA1...0xDF).contains(byte) {
            first = 0
            return .scalar(0xFF61 - 0xA1 + UInt32(byte))
        }
        if leading == 0x8F, (0xA1...0xFE).contains(byte) {
            isJIS0212 = true
            first = byte
            return .continues
        }
        if leading != 0 {
            first = 0
            var pointer: Int?
            if (0xA1...0xFE).contains(leading), (0xA1...0xFE).contains(byte) {
                pointer = (Int(leading) - 0xA1) * 94 + Int(byte) - 0xA1
            }
            defer { isJIS0212 = false }
            return pair(isJIS0212 ? "jis0212" : "jis0208", pointer, byte)
        }
        return lead(byte, byte == 0x8E || byte == 0x8F || (0xA1...0xFE).contains(byte))
    }

    /// Section 12.2.1.
    private mutating func iso2022JP(_ byte: UInt8?) -> Answer {
        switch (state, byte) {
        case (.trailing, 0x1B):
            state = .escapeStart
            return .error
        case (.ascii, 0x1B), (.roman, 0x1B), (.katakana, 0x1B), (.leading, 0x1B):
            state = .escapeStart
            return .continues
        case (.ascii, nil), (.roman, nil), (.katakana, nil), (.leading, nil): return .finished
        case (.roman, 0x5C): return output(0xA5)
        case (.roman, 0x7E): return output(0x203E)
        case (.ascii, let byte?), (.roman, let byte?):
            return output(byte < 0x80 && byte != 0x0E && byte != 0x0F ? UInt32(byte) : nil)
        case (.katakana, let byte?):
            return output((0x21...0x5F).contains(byte) ? 0xFF61 - 0x21 + UInt32(byte) : nil)
        case (.leading, let byte?):
            guard (0x21...0x7E).contains(byte) else { return output(nil) }
            (output, first, state) = (false, byte, .trailing)
            return .continues
        case (.trailing, let byte):
            state = .leading
            guard let byte, (0x21...0x7E).contains(byte) else { return .error }
            return indexes["jis0208", (Int(first) - 0x21) * 94 + Int(byte) - 0x21].map(Answer.scalar) ?? .error
        case (.escapeStart, let byte):
            if let byte, byte == 0x24 || byte == 0x28 {
                (first, state) = (byte, .escape)
                return .continues
            }
            if byte != nil { position -= 1 }
            (output, state) = (false, outputState)
            return .error
        case (.escape, let byte):
            let states: [[UInt8?]: State] = [
                [0x28, 0x42]: .ascii, [0x28, 0x4A]: .roman, [0x28, 0x49]: .katakana, [0x24, 0x40]: .leading,
                [0x24, 0x42]: .leading,
            ]
            if let new = states[[first, byte]] {
                (state, outputState) = (new, new)
                defer { output = true }
                return output ? .error : .shifted
            }
            position -= byte == nil ? 1 : 2
            (output, state) = (false, outputState)
            return .error
        }
    }

    private mutating func output(_ scalar: UInt32?) -> Answer {
        output = false
        return scalar.map(Answer.scalar) ?? .error
    }

    /// Section 8.1.1.
    private mutating func utf8(_ byte: UInt8?) -> Answer {
        guard let byte else {
            defer { needed = 0 }
            return needed == 0 ? .finished : .error
        }
        guard needed > 0 else {
            switch byte {
            case 0...0x7F: return .scalar(UInt32(byte))
            case 0xC2...0xDF: (needed, scalar) = (1, UInt32(byte & 0x1F))
            case 0xE0...0xEF:
                if byte == 0xE0 { lower = 0xA0 }
                if byte == 0xED { upper = 0x9F }
                (needed, scalar) = (2, UInt32(byte & 0xF))
            case 0xF0...0xF4:
                if byte == 0xF0 { lower = 0x90 }
                if byte == 0xF4 { upper = 0x8F }
                (needed, scalar) = (3, UInt32(byte & 0x7))
            default: return .error
            }
            return .continues
        }
        guard byte >= lower, byte <= upper else {
            (scalar, needed, seen, lower, upper) = (0, 0, 0, 0x80, 0xBF)
            position -= 1
            return .error
        }
        (lower, upper) = (0x80, 0xBF)
        scalar = scalar << 6 | UInt32(byte & 0x3F)
        seen += 1
        guard seen == needed else { return .continues }
        defer { (scalar, needed, seen) = (0, 0, 0) }
        return .scalar(scalar)
    }

    /// Section 14.2.1.
    private mutating func utf16(_ byte: UInt8?) -> Answer {
        guard let byte else {
            defer { (unit, leadingSurrogate) = (nil, nil) }
            return unit == nil && leadingSurrogate == nil ? .finished : .error
        }
        guard let first = unit else {
            unit = byte
            return .continues
        }
        unit = nil
        let (high, low) = encoding == .utf16BE ? (first, byte) : (byte, first)
        let value = UInt32(high) << 8 | UInt32(low)
        if let leading = leadingSurrogate {
            leadingSurrogate = nil
            if value & 0xFC00 == 0xDC00 { return .scalar(0x10000 + (leading & 0x3FF) << 10 + value & 0x3FF) }
            position -= 2
            return .error
        }
        if value & 0xFC00 == 0xD800 {
            leadingSurrogate = value
            return .continues
        }
        return value & 0xFC00 == 0xDC00 ? .error : .scalar(value)
    }

    /// The first byte of a sequence, where it is not a character by itself.
    private mutating func lead(_ byte: UInt8, _ isLead: Bool) -> Answer {
        if byte < 0x80 { return .scalar(UInt32(byte)) }
        guard isLead else { return .error }
        first = byte
        return .continues
    }

    /// The last byte of a sequence.
    private mutating func pair(_ index: String, _ pointer: Int?, _ byte: UInt8) -> Answer {
        if let pointer, let scalar = indexes[index, pointer] { return .scalar(scalar) }
        if byte < 0x80 { position -= 1 }
        return .error
    }
}
