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
        // Counted in bytes, which many fit of into one register, and a part of 128 cannot overflow.
        while start < bytes.count {
            let part = UnsafeBufferPointer(rebasing: bytes[start..<min(start + 128, bytes.count)])
            var partLeads: UInt8 = 0
            var partQuotes: UInt8 = 0
            for byte in part {
                partLeads &+= byte | 0x20 == Tag.object || byte == 0x2C || byte == 0x3A ? 1 : 0
                partQuotes &+= byte == Tag.string ? 1 : 0
            }
            leads += Int(partLeads)
            quotes += Int(partQuotes)
            start += 128
        }
        words = min(2 * leads, bytes.count + 1) + 2
        stringBytes = bytes.count + 3 * (quotes / 2 + 1) + 16
    }
}
