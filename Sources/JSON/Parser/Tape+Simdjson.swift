#if FastJSON && os(Linux)
    import CPatchbaySimdjson

    extension Tape {
        /// `Parser` parses shorter texts, in the time that simdjson needs to be set up.
        private static let shortText = 256
        /// The limit of memory for a text, its tokens and its tape together.
        private static let memory = 224 << 20

        /// A tape, and its first key that a later key repeats. Nil if simdjson refuses the text, gives another result, or
        /// would need too much memory. `Parser` then parses the text, or reports the fault.
        ///
        /// - Parameter padding: the number of readable bytes after the text.
        static func filledBySimdjson(
            _ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions, padding: Int = 0
        ) -> (tape: Tape, repeatedKey: Int?)? {
            guard text.count >= shortText, 1...4096 ~= options.maximumDepth, patchbay_simdjson_is_known(),
                let padded = PaddedText(text, padding)
            else { return nil }
            let left = memory - text.count - padded.copiedBytes
            guard left > 0, let tokens = patchbay_tokens_find(padded.start, text.count, JSON.padding, left)
            else { return nil }
            defer {
                patchbay_tokens_free(tokens)
                withExtendedLifetime(padded) {}
            }
            var written = PatchbayTape()
            guard let size = size(tokens, text.count, options.maximumSize, left),
                let tape = Tape(words: size.words + 8, stringBytes: size.string_bytes),
                patchbay_tokens_write(tokens, options.maximumDepth, tape.words, tape.strings, &written)
            else { return nil }
            return (tape, DuplicateSearch.mark(written, of: tape))
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

    extension DuplicateSearch {
        /// Marks the repeated keys of a tape that simdjson has filled. Returns the first marked key.
        static func mark(_ written: PatchbayTape, of tape: Tape) -> Int? {
            UnsafeBufferPointer(start: written.objects, count: written.object_count).reduce(nil as Int?) {
                first, object in
                guard let key = mark(object: Int(object), of: tape) else { return first }
                return min(first ?? key, key)
            }
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
