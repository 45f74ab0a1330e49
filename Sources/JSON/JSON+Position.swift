public import PatchbayPlatform

extension JSON {
    /// Where the value that a JSON pointer names begins in the text of a document: its line and column, both from 1.
    ///
    /// Nil where the text does not parse, or the pointer names nothing or is malformed. Columns count Unicode scalars.
    public static func position(of pointer: String, in bytes: some ContiguousBytes) -> (line: Int, column: Int)? {
        bytes.withUnsafeBytes { bytes in
            guard let tape = try? Tape.filled(from: bytes, ParseOptions()),
                let place = JSONPointer(pointer)?.resolve(in: tape, at: 1)
            else { return nil }
            let source = SourceText(bytes: bytes)
            return source.offset(ofWord: place, in: tape).map(source.position(ofOffset:))
        }
    }
}
