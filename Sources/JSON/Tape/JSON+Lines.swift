#if FastJSON
    import CPatchbaySimdjson
#endif

extension JSON {
    /// The values of the first lines of a text, each a JSON text. The tokens of all lines are found in one pass.
    ///
    /// The results are those of parsing each line alone. Reading stops at a line that must be parsed alone: a line that
    /// is neither an object nor an array, that is malformed, or for which the parser of many lines is missing. The
    /// memory of a released value is reused.
    package struct Lines: ~Copyable {
        package static let maximumBytes = 64 << 10

        /// The number of bytes of the read lines, including their line ends.
        package private(set) var byteCount = 0
        /// The number of read lines, including empty ones.
        package private(set) var count = 0

        #if FastJSON
            private let tokens: OpaquePointer?
            private let options: ParseOptions
            private var tape: Tape?
            private var capacity = (words: 0, stringBytes: 0)

            /// - Parameter text: the text. It must outlive this value, and `JSON.padding` more bytes must be readable
            ///   after it.
            package init(_ text: UnsafeRawBufferPointer, _ options: ParseOptions) {
                self.options = options
                let isFit = text.count <= Self.maximumBytes && 1...4096 ~= options.maximumDepth
                tokens =
                    isFit
                    ? text.baseAddress.flatMap {
                        patchbay_tokens_find(
                            $0.assumingMemoryBound(to: UInt8.self), text.count, JSON.padding, .max)
                    } : nil
            }

            deinit { if let tokens { patchbay_tokens_free(tokens) } }

            /// The value of the next line that is not empty; nil without such a line, or if the line must be parsed
            /// alone.
            /// - Parameter maximumBytes: the limit for the length of the line.
            package mutating func next(maximumBytes: Int) -> JSON? {
                var line = PatchbayLine()
                var written = PatchbayTape()
                guard let tokens, patchbay_tokens_next_line(tokens, &line), line.end - line.start - 1 <= maximumBytes,
                    let tape = takeTape(
                        words: line.tokens + 8, stringBytes: line.end - line.start + line.tokens + 8),
                    patchbay_tokens_write(tokens, options.maximumDepth, tape.words, tape.strings, &written),
                    8 * written.words + written.string_bytes <= options.maximumSize
                else { return nil }
                if DuplicateSearch.mark(written, of: tape) != nil {
                    guard !options.refusesDuplicateKeys else { return nil }
                    tape.keep(1)
                }
                byteCount = line.end
                count += line.lines
                return JSON(tape)
            }

            /// A tape for the next line: the last filled tape, if all its values were released and it is large enough;
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
            package init(_ text: UnsafeRawBufferPointer, _ options: ParseOptions) {}

            package mutating func next(maximumBytes: Int) -> JSON? { nil }
        #endif
    }
}
