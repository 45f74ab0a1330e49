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
        for byte in bytes {
            leads &+= byte == Tag.object || byte == Tag.array || byte == 0x2C || byte == 0x3A ? 1 : 0
            quotes &+= byte == Tag.string ? 1 : 0
        }
        words = min(2 * leads, bytes.count + 1) + 2
        stringBytes = bytes.count + 3 * (quotes / 2 + 1) + 16
    }
}
