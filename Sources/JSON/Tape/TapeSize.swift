/// How much room a text can need at most, counted before it is parsed.
struct TapeSize {
    let words: Int
    let stringBytes: Int

    /// Every value takes at most two words and follows one of `[` `{` `,` `:` or the start of the text, every key takes
    /// one and follows `{` or `,`; and no value takes more words than it has bytes, but for the single digit with its
    /// separator. A string takes five bytes besides its own and two quotes to write. The copying loops write up to
    /// eight bytes past the end.
    init(of bytes: UnsafeBufferPointer<UInt8>) {
        var leads = 1
        var quotes = 0
        var start = 0
        let raw = UnsafeRawBufferPointer(bytes)
        while start + 8 <= raw.count {
            let eight = raw.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            leads += Self.count(
                Self.matches(eight | Self.each(0x20), Tag.object) | Self.matches(eight, 0x2C)
                    | Self.matches(eight, 0x3A))
            quotes += Self.count(Self.matches(eight, Tag.string))
            start += 8
        }
        for byte in bytes[start...] {
            leads += byte | 0x20 == Tag.object || byte == 0x2C || byte == 0x3A ? 1 : 0
            quotes += byte == Tag.string ? 1 : 0
        }
        words = min(2 * leads, bytes.count + 1) + 2
        stringBytes = bytes.count + 3 * (quotes / 2 + 1) + 16
    }

    /// Eight bytes that are all the same.
    @inline(__always)
    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The highest bit of each of eight bytes that is this one. No sum carries into the byte above, so that none is missed.
    @inline(__always)
    private static func matches(_ eight: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = eight ^ each(byte)
        return ~((difference & each(0x7F)) &+ each(0x7F) | difference) & each(0x80)
    }

    /// How many of the highest bits are set.
    @inline(__always)
    private static func count(_ highest: UInt64) -> Int {
        Int(truncatingIfNeeded: (highest >> 7 &* 0x0101_0101_0101_0101) >> 56)
    }
}
