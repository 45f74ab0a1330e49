// Finds lines and text in bytes that arrive in pieces, which can be cut at any byte. Several stream formats use these
// types. The framing of a format is in Plugins/<Format>, as an `ElementParser`, whose contract is in Contract.

/// The lines of a text, in any charset of `TextDecoder`: the elements of a stream of `String`.
///
/// A line ends with LF, CR or CR LF; text after the last line end is a line as well. The charset comes from the byte
/// order mark, else from the `charset` parameter, else it is UTF-8. Malformed bytes throw a `TextDecodingFailure`,
/// after the lines before the malformed bytes.
package struct LineParser: ElementParser {
    /// Cuts text in UTF-8 into lines.
    private struct Cutter {
        var lines: LineCollector
        let lossy: Bool
        /// The number of bytes of text before the piece that is being cut.
        var offset = 0

        mutating func cut(_ text: UnsafeRawBufferPointer, _ emit: (String) throws -> Void) throws {
            var piece = LineCollector.Piece(text)
            while let line = try lines.next(in: &piece) {
                try emit(try decode(line, endingAt: offset + piece.lineEnd))
            }
            offset += text.count
        }

        func decode(_ line: UnsafeRawBufferPointer, endingAt end: Int) throws(TextDecodingFailure) -> String {
            try TextDecoder.decode(line, at: end - line.count, .utf8, lossy: lossy)
        }
    }

    private var text: TextPieces
    private var cutter: Cutter

    /// - Parameter lossy: whether malformed bytes become U+FFFD.
    package init(
        _ contentType: ContentType, defaultCharset: String = "utf-8", charsetOverride: String? = nil,
        lossy: Bool = false, maximumElementBytes: Int
    ) {
        let limit = ElementLimit(maximumElementBytes)
        text = TextPieces(
            contentType, defaultCharset: defaultCharset, charsetOverride: charsetOverride, lossy: lossy,
            maximumLine: limit)
        cutter = Cutter(lines: LineCollector(.any, limit: limit), lossy: lossy)
    }

    package mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
        try placingFailures { parser in
            try bytes.withUnsafeBufferPointer { bytes in
                try parser.text.read(bytes, &parser.cutter) { try $0.cut(UnsafeRawBufferPointer($1), emit) }
            }
        }
    }

    package mutating func finish(emit: (String) throws -> Void) throws {
        try placingFailures { parser in
            try parser.text.finish(&parser.cutter) { try $0.cut(UnsafeRawBufferPointer($1), emit) }
            guard let line = try parser.cutter.lines.last() else { return }
            try emit(try parser.cutter.decode(line, endingAt: parser.cutter.offset))
        }
    }

    /// Adds the length of the byte order mark to the offset of a failure: the cutter gets UTF-8 text without the mark,
    /// but offsets count from the start of the body.
    private mutating func placingFailures(_ body: (inout LineParser) throws -> Void) throws {
        do {
            try body(&self)
        } catch let error as TextDecodingFailure {
            guard text.markOfUTF8 > 0, case .malformed(let offset) = error.reason else { throw error }
            throw TextDecodingFailure(.malformed(offset: offset + text.markOfUTF8), charset: error.charset)
        }
    }
}
