extension Tape {
    /// The largest text whose words can be counted in 32 bits.
    private static let maximumText = 0x7FFF_FFFF

    /// A tape filled from the bytes of a document, including duplicate keys, by the fastest available parser; and its
    /// first key that a later key repeats.
    ///
    /// - Parameter padding: the number of readable bytes after the document.
    static func filled(
        from source: UnsafeRawBufferPointer, _ options: JSON.ParseOptions, padding: Int = 0
    ) throws(Fault) -> (tape: Tape, repeatedKey: Int?) {
        let text = try checked(source)
        #if FastJSON && os(Linux)
            if let (tape, repeatedKey) = filledBySimdjson(text, options, padding: padding) {
                try tape.checkRoot(options, source)
                return (tape, repeatedKey)
            }
        #endif
        let tape = try filledByParser(source, text, options)
        return (tape, DuplicateSearch.mark(tape))
    }

    /// A tape filled by `Parser`, which alone can report faults.
    static func filledByParser(_ source: UnsafeRawBufferPointer, _ options: JSON.ParseOptions) throws(Fault) -> Tape {
        try filledByParser(source, checked(source), options)
    }

    private static func filledByParser(
        _ source: UnsafeRawBufferPointer, _ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions
    ) throws(Fault) -> Tape {
        let mark = source.count - text.count
        let size = TapeSize(of: text)
        // The size limit is checked between values. Between two checks, at most `maximumDepth` containers are opened
        // and closed, each with a key.
        let depth = min(max(options.maximumDepth, 0), text.count)
        let allowed = Int(clamping: min(Int64(max(options.maximumSize, 0)), Int64(Self.maximumText) * 16))
        guard let base = text.baseAddress,
            let tape = Tape(words: min(size.words, allowed / 8 + 3 * depth + 16), stringBytes: size.stringBytes)
        else { throw Fault(reason: .size, message: "there is no memory for the document", offset: mark) }
        var parser = Parser(
            start: base - mark, end: base + text.count, words: tape.words, strings: tape.strings,
            maximumDepth: options.maximumDepth, maximumSize: allowed, cursor: base)
        try parser.parse()
        try tape.checkRoot(options, source)
        return tape
    }

    /// The text after its byte order mark. Throws if the text is empty, larger than 2 GiB, or starts like UTF-16 or
    /// UTF-32.
    private static func checked(_ source: UnsafeRawBufferPointer) throws(Fault) -> UnsafeBufferPointer<UInt8> {
        let mark = SourceText(bytes: source).markLength
        let bytes = source.bindMemory(to: UInt8.self)
        guard bytes.count > mark else { throw Fault(reason: .empty, message: "the text is empty", offset: mark) }
        if isWide(bytes) {
            throw Fault(reason: .encoding, message: "the text is UTF-16 or UTF-32, and JSON is UTF-8", offset: 0)
        }
        guard bytes.count <= maximumText else {
            throw Fault(reason: .size, message: "the text is larger than 2 GiB", offset: 0)
        }
        return UnsafeBufferPointer(rebasing: bytes[mark...])
    }

    private func checkRoot(_ options: JSON.ParseOptions, _ source: UnsafeRawBufferPointer) throws(Fault) {
        guard !options.allowsFragments && tag(at: 1) != Tag.object && tag(at: 1) != Tag.array else { return }
        let offset = SourceText(bytes: source).offset(ofWord: 1, in: self) ?? 0
        throw Fault(reason: .fragment, message: "expected an object or an array", offset: offset)
    }

    /// Whether the text starts like UTF-16 or UTF-32, by its byte order mark or its zero bytes.
    private static func isWide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= 2 else { return false }
        switch (text[0], text[1]) {
        case (0xFE, 0xFF), (0xFF, 0xFE), (0, _), (_, 0): return true
        default: return false
        }
    }
}

/// An upper bound of the size of the tape for a text, computed before parsing.
struct TapeSize {
    let words: Int
    let stringBytes: Int

    /// Every value takes at most two words and follows one of `[` `{` `,` `:` or the start of the text; every key takes
    /// one word and follows `{` or `,`. No value takes more words than it has bytes, except a single digit with its
    /// separator. The record of a string takes five bytes more than the string, and a string has two quotes in the
    /// text. The copying loops write up to eight bytes past the end.
    init(of bytes: UnsafeBufferPointer<UInt8>) {
        // The count would cost more than the memory that it saves.
        guard bytes.count > 64 else {
            words = bytes.count + 3
            stringBytes = bytes.count + 3 * (bytes.count / 2 + 1) + 16
            return
        }
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

    /// A number whose eight bytes all equal `byte`.
    @inline(__always)
    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// Sets the highest bit of each of the eight bytes that equals `byte`. No sum carries into the next byte, so no
    /// byte is missed.
    @inline(__always)
    private static func matches(_ eight: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = eight ^ each(byte)
        return ~((difference & each(0x7F)) &+ each(0x7F) | difference) & each(0x80)
    }

    /// The number of bytes whose highest bit is set.
    @inline(__always)
    private static func count(_ highest: UInt64) -> Int {
        Int(truncatingIfNeeded: (highest >> 7 &* 0x0101_0101_0101_0101) >> 56)
    }
}
