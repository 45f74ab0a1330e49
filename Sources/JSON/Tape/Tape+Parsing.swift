extension Tape {
    /// The largest text whose words can be counted in 32 bits.
    private static let maximumSize = 0x7FFF_FFFF

    /// Fills a tape from the bytes of a document, duplicate keys included.
    init(filledFrom source: UnsafeRawBufferPointer, _ options: JSON.ParseOptions) throws(Fault) {
        let mark = SourceText(bytes: source).markLength
        let text = source.bindMemory(to: UInt8.self)
        guard let base = text.baseAddress, text.count > mark else {
            throw Fault(reason: .empty, message: "the text is empty", offset: mark)
        }
        if Self.isWide(text) {
            throw Fault(reason: .encoding, message: "the text is UTF-16 or UTF-32, and JSON is UTF-8", offset: 0)
        }
        guard text.count <= Self.maximumSize else {
            throw Fault(reason: .size, message: "the text is larger than 2 GiB", offset: 0)
        }

        let size = TapeSize(of: text)
        var fault: Fault?
        var strings: [UInt8] = []
        words = [UInt64](unsafeUninitializedCapacity: size.words) { wordBuffer, wordCount in
            guard let words = wordBuffer.baseAddress else { return }
            strings = [UInt8](unsafeUninitializedCapacity: size.stringBytes) { stringBuffer, stringCount in
                guard let bytes = stringBuffer.baseAddress else { return }
                var parser = Parser(
                    start: base, end: base + text.count, words: words, strings: bytes,
                    maximumDepth: options.maximumDepth, cursor: base + mark)
                do throws(Fault) {
                    try parser.parse()
                    wordCount = parser.wordCount
                    stringCount = parser.stringCount
                } catch {
                    fault = error
                }
            }
        }
        self.strings = strings
        if let fault { throw fault }
        if !options.fragments && tag(at: 1) != Tag.object && tag(at: 1) != Tag.array {
            let offset = SourceText(bytes: source).offset(ofWord: 1, in: self) ?? mark
            throw Fault(reason: .fragment, message: "expected an object or an array", offset: offset)
        }
    }

    /// Whether the text starts as UTF-16 or UTF-32 does, by its mark or by its zero bytes.
    private static func isWide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= 2 else { return false }
        switch (text[0], text[1]) {
        case (0xFE, 0xFF), (0xFF, 0xFE), (0, _), (_, 0): return true
        default: return false
        }
    }
}
