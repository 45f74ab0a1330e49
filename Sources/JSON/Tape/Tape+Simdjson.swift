#if FastJSON
    import CPatchbaySimdjson

    extension Tape {
        /// `Parser` parses shorter texts, in the time that simdjson needs to be set up.
        private static let shortText = 256
        /// The limit of memory for a text, its tokens and its tape together.
        private static let memory = 224 << 20

        /// Nil if simdjson refuses the text, gives another result, or would need too much time or memory. `Parser` then
        /// parses the text, or reports the fault.
        ///
        /// - Parameter padding: the number of readable bytes after the text.
        static func filledBySimdjson(
            _ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions, padding: Int = 0
        ) -> Tape? {
            guard text.count >= shortText, 1...4096 ~= options.maximumDepth,
                let (tape, size, end) = filled(text, options, padding)
            else { return nil }
            // simdjson stores the number of words; a `Tape` stores the index of the last word.
            tape.words[0] -= 1
            guard end > 0 else { return tape }
            // The tokens have been freed before this line.
            guard text.count + size + end <= memory, let texts = NumberTexts(text, upTo: end) else { return nil }
            tape.numberTexts = texts
            return tape
        }

        /// A tape from simdjson, the upper bound of its size, and the length of the start of the text that contains all
        /// numbers with more digits than their Double; 0 without such numbers.
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

        /// The upper bound of the tape's size; nil if the tape can exceed the limit for the document, or the memory
        /// limit together with its tokens. Near the limit, `Parser` must check the size between values.
        private static func size(
            _ tokens: OpaquePointer, _ text: Int, _ maximumSize: Int, _ memory: Int
        ) -> PatchbayTapeSize? {
            let count = patchbay_tokens_count(tokens)
            func fits(_ size: PatchbayTapeSize) -> Bool {
                let bytes = 8 * size.words + size.string_bytes
                return bytes <= maximumSize && bytes + 4 * count <= memory
            }
            // The bounds that CPatchbaySimdjson.h documents.
            let bound = PatchbayTapeSize(words: count, string_bytes: min(text / 3 * 5, text + count) + 8)
            if fits(bound) { return bound }
            let size = patchbay_tokens_size(tokens)
            return fits(size) ? size : nil
        }
    }

    /// A text with `JSON.padding` more readable bytes.
    private struct PaddedText: ~Copyable {
        let start: UnsafePointer<UInt8>
        let copiedBytes: Int
        private let copy: UnsafeMutablePointer<UInt8>?

        /// - Parameter padding: the number of readable bytes after the text that the caller guarantees.
        init?(_ text: UnsafeBufferPointer<UInt8>, _ padding: Int) {
            guard let base = text.baseAddress else { return nil }
            // Reading after lent memory can reach an unmapped page, which would end the process. Within a page this
            // cannot happen: if the last byte is mapped, so is the rest of its page, and no system has pages smaller
            // than 4 KiB. The bytes there are read and never used.
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
