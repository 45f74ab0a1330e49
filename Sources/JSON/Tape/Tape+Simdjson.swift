#if FastJSON
    import CPatchbaySimdjson

    extension Tape {
        /// Shorter texts are parsed sooner than simdjson has been set up.
        private static let shortText = 256
        /// Longer texts may need more memory than a document is worth, which is looked into first.
        private static let longText = 16 << 20
        /// What a text, its tokens and its tape may take together.
        private static let memory = 224 << 20

        /// Nil for what simdjson refuses, answers otherwise, or would take too much time or memory for: our own parser then
        /// parses the text, or says what is wrong with it.
        static func filledBySimdjson(_ text: UnsafeBufferPointer<UInt8>, _ options: JSON.ParseOptions) -> Tape? {
            guard let start = text.baseAddress, text.count >= shortText, 1...4096 ~= options.maximumDepth else {
                return nil
            }
            if text.count > longText {
                let tokens = patchbay_tokens_estimate(start, text.count)
                guard size(text, tokens: tokens) + 4 * tokens + text.count <= memory else { return nil }
            }
            guard let padded = PaddedText(text),
                let tokens = patchbay_tokens_find(padded.start, text.count, options.maximumDepth)
            else { return nil }
            defer {
                patchbay_tokens_free(tokens)
                withExtendedLifetime(padded) {}
            }
            let count = patchbay_tokens_count(tokens)
            // Where the limit might be reached it has to be looked at between values.
            guard size(text, tokens: count) <= options.maximumSize,
                let tape = Tape(words: count + 8, stringBytes: text.count / 3 * 5 + 8),
                patchbay_tokens_write(tokens, tape.words, tape.strings)
            else { return nil }
            // simdjson counts the last word in, which the layout names by its index.
            tape.words[0] -= 1
            return tape
        }

        /// No more bytes than this are on the tape of a text.
        private static func size(_ text: UnsafeBufferPointer<UInt8>, tokens: Int) -> Int {
            8 * (tokens + 8) + text.count / 3 * 5 + 8
        }
    }

    /// A text behind which can be read as far as simdjson does.
    private struct PaddedText: ~Copyable {
        let start: UnsafePointer<UInt8>
        private let copy: UnsafeMutablePointer<UInt8>?

        init?(_ text: UnsafeBufferPointer<UInt8>) {
            guard let base = text.baseAddress else { return nil }
            // Memory comes in pages: where the last byte is there, so is the rest of its page.
            let padding = Int(PATCHBAY_SIMDJSON_PADDING)
            if Int(bitPattern: base + text.count - 1) & 4095 < 4096 - padding {
                start = base
                copy = nil
                return
            }
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count + padding)
            copy.update(from: base, count: text.count)
            (copy + text.count).update(repeating: 0, count: padding)
            self.copy = copy
            start = UnsafePointer(copy)
        }

        deinit { copy?.deallocate() }
    }
#endif
