#if FastJSON
    import CPatchbaySimdjson

    extension Tape {
        /// Shorter texts are parsed sooner than simdjson has been set up.
        private static let shortText = 256
        /// What a text, its tokens and its tape may take together.
        private static let memory = 224 << 20

        /// Nil for what simdjson refuses, answers otherwise, or would take too much time or memory for: our own parser then
        /// parses the text, or says what is wrong with it.
        ///
        /// - Parameter padding: how many bytes behind the text can be read.
        static func filledBySimdjson(
            _ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions, padding: Int = 0
        ) -> Tape? {
            guard text.count >= shortText, 1...4096 ~= options.maximumDepth,
                let (tape, size, end) = filled(text, options, padding)
            else { return nil }
            // simdjson counts the last word in, which the layout names by its index.
            tape.words[0] -= 1
            guard end > 0 else { return tape }
            // By now the tokens are gone.
            guard text.count + size + end <= memory, let texts = NumberTexts(text, upTo: end) else { return nil }
            tape.numberTexts = texts
            return tape
        }

        /// A tape as simdjson writes it, how many bytes it may take, and how much of the text holds numbers whose digits it does not have.
        private static func filled(
            _ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions, _ padding: Int
        ) -> (Tape, size: Int, endOfLongNumbers: Int)? {
            guard patchbay_simdjson_is_known(), let padded = PaddedText(text, padding) else { return nil }
            let left = memory - text.count - padded.copiedBytes
            guard left > 0,
                let tokens = patchbay_tokens_find(
                    padded.start, text.count, JSON.padding, options.maximumDepth, left)
            else { return nil }
            defer {
                patchbay_tokens_free(tokens)
                withExtendedLifetime(padded) {}
            }
            guard let size = size(tokens, text.count, options.maximumSize, left),
                let tape = Tape(words: size.words + 8, stringBytes: size.string_bytes),
                patchbay_tokens_write(tokens, tape.words, tape.strings)
            else { return nil }
            return (
                tape, 8 * size.words + size.string_bytes, patchbay_tokens_end_of_long_numbers(tokens, tape.words)
            )
        }

        /// What the tape takes at most, or nil where that may be more than the document, or it and its tokens, may take. Where the
        /// limit might be reached it has to be looked at between values.
        private static func size(
            _ tokens: OpaquePointer, _ text: Int, _ maximumSize: Int, _ memory: Int
        ) -> PatchbayTapeSize? {
            let count = patchbay_tokens_count(tokens)
            func fits(_ size: PatchbayTapeSize) -> Bool {
                let bytes = 8 * size.words + size.string_bytes
                return bytes <= maximumSize && bytes + 4 * count <= memory
            }
            // The bounds that the door states.
            let bound = PatchbayTapeSize(words: count, string_bytes: min(text / 3 * 5, text + count) + 8)
            if fits(bound) { return bound }
            let size = patchbay_tokens_size(tokens)
            return fits(size) ? size : nil
        }
    }

    /// A text behind which `JSON.padding` bytes can be read.
    private struct PaddedText: ~Copyable {
        let start: UnsafePointer<UInt8>
        let copiedBytes: Int
        private let copy: UnsafeMutablePointer<UInt8>?

        /// - Parameter padding: how many bytes behind the text can be read, as far as whoever lends it knows.
        init?(_ text: UnsafeBufferPointer<UInt8>, _ padding: Int) {
            guard let base = text.baseAddress else { return nil }
            // To read behind memory that was lent may reach a page that is not there, and end the process. Within a page it cannot:
            // where the last byte is there, so is the rest of its page, and no system has smaller ones than 4 KiB. What stands there
            // is read and never used.
            let isOnPage = Int(bitPattern: base + text.count - 1) & 4095 < 4096 - JSON.padding
            if padding >= JSON.padding || (isOnPage && patchbay_simdjson_may_read_pages()) {
                start = base
                copiedBytes = 0
                copy = nil
                return
            }
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count + JSON.padding)
            copy.update(from: base, count: text.count)
            (copy + text.count).update(repeating: 0, count: JSON.padding)
            self.copy = copy
            copiedBytes = text.count
            start = UnsafePointer(copy)
        }

        deinit { copy?.deallocate() }
    }
#endif
