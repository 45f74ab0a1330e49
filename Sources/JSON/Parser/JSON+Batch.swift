#if FastJSON && os(Linux)
    import CPatchbaySimdjson
#endif

extension JSON {
    /// The first values of a text that has one value on each line, or with commas between the values, like the elements
    /// of an array. The tokens of all values are found in one pass.
    ///
    /// The results are those of parsing each value alone. Reading stops at a value that must be parsed alone: a value
    /// that is neither an object nor an array, that is malformed, or for which the parser of many values is missing. The
    /// memory of a released value is reused.
    package struct Batch: ~Copyable {
        package enum Framing: Sendable { case lines, elements }

        package static let maximumBytes = 64 << 10

        /// The number of bytes of the read values, including the commas between them or their line ends.
        package private(set) var byteCount = 0
        /// The number of read values, including empty lines.
        package private(set) var count = 0

        #if FastJSON && os(Linux)
            private let tokens: OpaquePointer?
            private let options: ParseOptions
            private let framing: Framing
            private var tape: Tape?
            private var capacity = (words: 0, stringBytes: 0)

            /// - Parameter text: the text. It must outlive this value, and `JSON.padding` more bytes must be readable
            ///   after it.
            package init(_ text: UnsafeRawBufferPointer, _ options: ParseOptions, _ framing: Framing) {
                (self.options, self.framing) = (options, framing)
                let isFit = text.count <= Self.maximumBytes && 1...4096 ~= options.maximumDepth
                tokens =
                    isFit
                    ? text.baseAddress.flatMap {
                        patchbay_tokens_find(
                            $0.assumingMemoryBound(to: UInt8.self), text.count, JSON.padding, .max)
                    } : nil
            }

            deinit { if let tokens { patchbay_tokens_free(tokens) } }

            /// The next value; nil without one, or if it must be parsed alone.
            /// - Parameter maximumBytes: the limit for the length of the line or of the element.
            package mutating func next(maximumBytes: Int) -> JSON? {
                var item = PatchbayItem()
                var written = PatchbayTape()
                guard let tokens,
                    framing == .lines
                        ? patchbay_tokens_next_line(tokens, &item) : patchbay_tokens_next_element(tokens, &item),
                    item.bytes <= maximumBytes,
                    let tape = takeTape(words: item.tokens + 8, stringBytes: item.bytes + item.tokens + 8),
                    patchbay_tokens_write(tokens, options.maximumDepth, tape.words, tape.strings, &written),
                    8 * written.words + written.string_bytes <= options.maximumSize
                else { return nil }
                if DuplicateSearch.mark(written, of: tape) != nil {
                    guard !options.refusesDuplicateKeys else { return nil }
                    tape.keep(1)
                }
                byteCount = item.end
                count += item.lines
                return JSON(tape)
            }

            /// A tape for the next value: the last filled tape, if all its values were released and it is large enough;
            /// otherwise a new one.
            private mutating func takeTape(words: Int, stringBytes: Int) -> Tape? {
                if words <= capacity.words, stringBytes <= capacity.stringBytes, isKnownUniquelyReferenced(&tape) {
                    return tape
                }
                capacity = (words, stringBytes)
                tape = Tape(words: words, stringBytes: stringBytes)
                return tape
            }
        #else
            package init(_ text: UnsafeRawBufferPointer, _ options: ParseOptions, _ framing: Framing) {}

            package mutating func next(maximumBytes: Int) -> JSON? { nil }
        #endif
    }
}
