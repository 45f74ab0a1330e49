// Finds lines and text in bytes that arrive in pieces, which can be cut at any byte. Several stream formats use these
// types. The framing of a format is in Plugins/<Format>, as an `ElementParser`, whose contract is in Contract.

/// The lines of a text, in any charset of `TextDecoder`: the elements of a stream of `String`.
///
/// A line ends with LF, CR or CR LF; text after the last line end is a line as well. The charset comes from the byte
/// order mark, else from the `charset` parameter, else it is UTF-8. Malformed bytes throw a `TextDecodingFailure`,
/// after the lines before the malformed bytes.
package struct LineParser: ElementParser {
    private var text: TextPieces
    private var lines: LineCollector
    private let lossy: Bool

    /// - Parameter lossy: whether malformed bytes become U+FFFD.
    package init(
        _ contentType: ContentType, defaultCharset: String = "utf-8", charsetOverride: String? = nil,
        lossy: Bool = false, maximumElementBytes: Int
    ) {
        let limit = ElementLimit(maximumElementBytes)
        text = TextPieces(
            contentType, defaultCharset: defaultCharset, charsetOverride: charsetOverride, lossy: lossy,
            maximumLine: limit)
        lines = LineCollector(endsAtReturn: true, limit: limit)
        self.lossy = lossy
    }

    package mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
        try bytes.withUnsafeBytes { try read($0, emit) }
    }

    package mutating func finish(emit: (String) throws -> Void) throws { try read(nil, emit) }

    /// Reads the next piece of the body; nil is its end.
    private mutating func read(_ piece: UnsafeRawBufferPointer?, _ emit: (String) throws -> Void) throws {
        let lossy = lossy
        func decode(_ line: UnsafeRawBufferPointer, endingAt end: Int) throws(TextDecodingFailure) -> String {
            try TextDecoder.decode(line, at: end - line.count, .utf8, lossy: lossy)
        }
        func cut(_ lines: inout LineCollector, _ text: UnsafeRawBufferPointer) throws {
            var piece = LineCollector.Piece(text)
            while let line = try lines.next(in: &piece) {
                try emit(decode(line, endingAt: lines.passed + piece.lineEnd))
            }
        }
        do {
            if let piece { return try text.read(piece, &lines, cut) }
            try text.finish(&lines, cut)
            if let line = try lines.last() { try emit(decode(line, endingAt: lines.passed)) }
        } catch let error as TextDecodingFailure {
            // The lines are of text without the byte order mark, but offsets count from the start of the body.
            guard text.markOfUTF8 > 0, case .malformed(let offset) = error.reason else { throw error }
            throw TextDecodingFailure(.malformed(offset: offset + text.markOfUTF8), charset: error.charset)
        }
    }
}
