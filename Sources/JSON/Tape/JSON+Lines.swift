#if FastJSON
    import CPatchbaySimdjson
#endif

extension JSON {
    /// The values of the first lines of a text, each of which is a JSON text, the tokens of all of which are found at once.
    ///
    /// It gives what a parse of each line alone would give, and leaves off where that is a matter for it: at a line that is no object or
    /// array, or no JSON, or where the parser for many lines is not there. Of a value that nobody keeps the memory is used again.
    package struct Lines: ~Copyable {
        package static let maximumBytes = 64 << 10

        /// How many bytes the lines have that were read, with their ends.
        package private(set) var byteCount = 0
        /// How many lines were read, blank ones among them.
        package private(set) var count = 0

        #if FastJSON
            private let lines: OpaquePointer?
            private let options: ParseOptions
            private var tape: Tape?
            private var capacity = (words: 0, stringBytes: 0)

            /// - Parameter text: outlives this, and `JSON.padding` bytes behind it can be read.
            package init(_ text: UnsafeRawBufferPointer, _ options: ParseOptions) {
                self.options = options
                let isFit = text.count <= Self.maximumBytes && 1...4096 ~= options.maximumDepth
                lines =
                    isFit
                    ? text.baseAddress.flatMap {
                        patchbay_lines_open(
                            $0.assumingMemoryBound(to: UInt8.self), text.count, JSON.padding, options.maximumDepth)
                    } : nil
            }

            deinit { if let lines { patchbay_lines_close(lines) } }

            /// The value of the next line that is not blank; nil where no more are read here.
            /// - Parameter maximumBytes: how long its line may be.
            package mutating func next(maximumBytes: Int) -> JSON? {
                var line = PatchbayLine()
                guard let lines, patchbay_lines_next(lines, &line), line.end - line.start - 1 <= maximumBytes,
                    8 * line.word_count + line.string_bytes <= options.maximumSize,
                    let words = line.words, let strings = line.strings
                else { return nil }
                let tape = takeTape(words: line.word_count, stringBytes: line.string_bytes)
                guard let tape else { return nil }
                tape.words.update(from: words, count: line.word_count)
                tape.strings.update(from: strings, count: line.string_bytes)
                // simdjson counts the last word in, which the layout names by its index.
                tape.words[0] -= 1
                if DuplicateSearch.mark(tape) != nil {
                    guard !options.refusesDuplicateKeys else { return nil }
                    tape.keep(1)
                }
                byteCount = line.end
                count += line.lines
                return JSON(tape)
            }

            /// The tape that was filled last, where nobody keeps it and it is large enough.
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
