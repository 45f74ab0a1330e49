public import PatchbayPlatform

extension JSON {
    /// Parses one document by the rules of RFC 8259, without leniency.
    ///
    /// The text is UTF-8, with or without a byte order mark. A number is an exact Int64 or UInt64 if it is written as
    /// an integer that fits; otherwise it is the nearest Double, and a number beyond the range of Double is refused.
    /// `-0` is a Double. Surrogates in escapes must be paired.
    ///
    /// On Linux, the memory of released large documents is kept for later documents: at most 16 MiB in the whole
    /// process, and 10 MiB more with the trait `FastJSON`.
    /// - Parameters:
    ///   - bytes: data, an array of bytes, or any other value that has contiguous bytes.
    ///   - options: limits, and rules beyond those of RFC 8259.
    /// - Throws: `FormatFailure` of the format `json`, with line, column and offset.
    public init(parsing bytes: some ContiguousBytes, options: ParseOptions = .init()) throws(FormatFailure) {
        do throws(ParseFailure) { try self.init(document: bytes, options: options) } catch { throw error.formatFailure }
    }

    /// Parses one document, like `init(parsing:options:)` for bytes.
    /// - Throws: `FormatFailure` of the format `json`, with line, column and offset.
    public init(parsing text: String, options: ParseOptions = .init()) throws(FormatFailure) {
        self = try JSON(parsing: Array(text.utf8), options: options)
    }

    /// Parses one document, like `init(parsing:options:)`. The error names the broken rule.
    package init(document bytes: some ContiguousBytes, options: ParseOptions = .init()) throws(ParseFailure) {
        self = try bytes.withUnsafeBytes { bytes in
            Result { () throws(ParseFailure) in
                try JSON(bytes, options) { () throws(Fault) in try Tape.filled(from: bytes, options) }
            }
        }.get()
    }

    /// The number of bytes that simdjson reads after a text: the length of its longest vector register. Memory from a
    /// caller must have this many readable bytes after the text, and `CPatchbaySimdjson` refuses a simdjson that reads
    /// further.
    @inlinable package static var padding: Int { 64 }

    /// Parses one document, like `init(parsing:options:)`. `padding` more bytes must be readable after the document.
    package init(parsingPadded bytes: UnsafeRawBufferPointer, options: ParseOptions) throws(ParseFailure) {
        try self.init(bytes, options) { () throws(Fault) in
            try Tape.filled(from: bytes, options, padding: Self.padding)
        }
    }

    /// Parses one document with `Parser`, as without the trait `FastJSON`. Both parsers give the same results.
    package init(plainlyParsing bytes: UnsafeRawBufferPointer, options: ParseOptions) throws(ParseFailure) {
        try self.init(bytes, options) { () throws(Fault) in
            let tape = try Tape.filledByParser(bytes, options)
            return (tape, DuplicateSearch.mark(tape))
        }
    }

    /// The value of a tape that was filled from bytes, with each key once.
    /// - Parameter fill: returns the tape and its first key that a later key repeats.
    private init(
        _ bytes: UnsafeRawBufferPointer, _ options: ParseOptions,
        _ fill: () throws(Fault) -> (tape: Tape, repeatedKey: Int?)
    ) throws(ParseFailure) {
        do throws(Fault) {
            let (tape, repeatedKey) = try fill()
            guard let key = repeatedKey else {
                self.init(tape)
                return
            }
            guard !options.refusesDuplicateKeys else {
                throw Self.duplicateFault(ofKey: key, in: tape, SourceText(bytes: bytes))
            }
            tape.keep(1)
            self.init(tape)
        } catch {
            throw error.located(in: bytes)
        }
    }

    private static func duplicateFault(ofKey key: Int, in tape: Tape, _ source: SourceText) -> Fault {
        let second = tape.repetition(ofKey: key) ?? key
        let name = tape.string(at: key)
        let shown = name.unicodeScalars.count > 64 ? "\(String(name.unicodeScalars.prefix(64)))…" : name
        return Fault(
            reason: .duplicateKey, message: "the key \(JSON(shown).description) appears twice in one object",
            offset: source.offset(ofWord: second, in: tape) ?? 0)
    }
}

extension JSON {
    /// The rules and limits of the parser.
    public struct ParseOptions: Sendable, Hashable {
        /// Whether a document is refused if a key occurs twice in one object. If false, the last member with the key is
        /// used, and earlier members with this key are ignored.
        public var refusesDuplicateKeys: Bool
        /// Whether a document is allowed to be a single string, number, boolean or null.
        public var allowsFragments: Bool
        /// The limit of open containers. It also limits the recursion of code that decodes the value.
        public var maximumDepth: Int
        /// The limit of bytes for the parsed document: eight for each key, string, boolean, null and bracket, sixteen
        /// for a number, sixteen for the document, and the UTF-8 bytes of keys and strings with five more for each. The
        /// digits of numbers that a Double does not have are not counted: they need at most as many bytes as the text.
        ///
        /// The default also limits an array of all elements of a response, in every format.
        public var maximumSize: Int

        /// Options with these values. By default they accept RFC 8259, within the limits.
        public init(
            refusesDuplicateKeys: Bool = false, allowsFragments: Bool = true, maximumDepth: Int = 512,
            maximumSize: Int = 128 << 20
        ) {
            self.refusesDuplicateKeys = refusesDuplicateKeys
            self.allowsFragments = allowsFragments
            self.maximumDepth = maximumDepth
            self.maximumSize = maximumSize
        }
    }
}
