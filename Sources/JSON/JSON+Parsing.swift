public import PatchbayPlatform

extension JSON {
    /// Parses one document by the rules of RFC 8259, and nothing more lenient.
    ///
    /// UTF-8 with or without one byte order mark. A number is an exact Int64 or UInt64 where it is written as an integer
    /// that fits, else the nearest Double, else the document is refused; `-0` is a Double. Surrogates in escapes must be
    /// paired.
    ///
    /// On Linux, memory of large documents that are gone waits for the next ones: at most 16 MiB in the whole process, and with
    /// the trait `FastJSON` 10 MiB more.
    public init(parsing bytes: UnsafeRawBufferPointer, options: ParseOptions = .init()) throws(ParseFailure) {
        do throws(Fault) {
            self.init(try Self.withoutDuplicates(Tape.filled(from: bytes, options), bytes, options))
        } catch {
            throw error.located(in: bytes)
        }
    }

    /// How many bytes simdjson reads behind a text, whatever they are: the length of its longest vector register. Whoever lends memory
    /// for it keeps so many there, and the door refuses a simdjson that reads further.
    @inlinable package static var padding: Int { 64 }

    /// Parses one document by the same rules, from memory of which `padding` bytes more can be read.
    package init(parsingPadded bytes: UnsafeRawBufferPointer, options: ParseOptions) throws(ParseFailure) {
        do throws(Fault) {
            let tape = try Tape.filled(from: bytes, options, padding: Self.padding)
            self.init(try Self.withoutDuplicates(tape, bytes, options))
        } catch {
            throw error.located(in: bytes)
        }
    }

    /// Parses one document by the parser that is there without the trait `FastJSON`. The answers are the same.
    package init(plainlyParsing bytes: UnsafeRawBufferPointer, options: ParseOptions) throws(ParseFailure) {
        do throws(Fault) {
            self.init(try Self.withoutDuplicates(Tape.filledByParser(bytes, options), bytes, options))
        } catch {
            throw error.located(in: bytes)
        }
    }

    /// Parses one document by the same rules.
    public init(parsing bytes: RawSpan, options: ParseOptions = .init()) throws(ParseFailure) {
        self = try bytes.withUnsafeBytes { (bytes) throws(ParseFailure) in try JSON(parsing: bytes, options: options) }
    }

    /// Parses one document by the same rules.
    public init(parsing data: Data, options: ParseOptions = .init()) throws(ParseFailure) {
        self = try JSON(parsing: data.bytes, options: options)
    }

    /// Parses one document by the same rules.
    public init(parsing bytes: [UInt8], options: ParseOptions = .init()) throws(ParseFailure) {
        self = try JSON(parsing: bytes.span.bytes, options: options)
    }

    /// Parses one document by the same rules.
    public init(parsing text: String, options: ParseOptions = .init()) throws(ParseFailure) {
        self = try JSON(parsing: Array(text.utf8), options: options)
    }

    private static func withoutDuplicates(
        _ tape: Tape, _ bytes: UnsafeRawBufferPointer, _ options: ParseOptions
    ) throws(Fault) -> Tape {
        if let key = DuplicateSearch.mark(tape) {
            guard options.duplicateKeys == .lastWins else {
                throw duplicateFault(ofKey: key, in: tape, SourceText(bytes: bytes))
            }
            let kept = tape.numberTexts == nil ? tape : tape.copy(through: 1)
            kept.keep(1)
            return kept
        }
        return tape
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
