import Testing

@testable import PatchbayRegistry

@Suite("Text in pieces") struct TextPiecesTests {
    /// What is handed on of a body that is cut into pieces of a length, and the error behind it.
    private func text(_ bytes: [UInt8], _ charset: String, pieceBytes: Int, limit: Int = .max) -> (
        text: [UInt8], error: String?
    ) {
        var pieces = TextPieces(
            ContentType(["Content-Type": "text/plain; charset=\(charset)"]), maximumLine: ElementLimit(limit))
        var text: [UInt8] = []
        do {
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                try bytes[start..<min(start + pieceBytes, bytes.count)].withUnsafeBytes {
                    try pieces.read($0, &text) { $0 += $1 }
                }
            }
            try pieces.finish(&text) { $0 += $1 }
            return (text, nil)
        } catch {
            return (text, "\(error)")
        }
    }

    static let bodies: [(charset: String, bytes: [UInt8], text: String)] = [
        ("utf-8", Array("\u{FEFF}é\n雪".utf8), "é\n雪"),
        ("utf-8", [], ""), ("utf-8", [0xEF, 0xBB, 0xBF], ""), ("shift_jis", [0xEF, 0xBB, 0xBF, 0x61], "a"),
        ("latin1", [0xEF], "ï"), ("latin1", [0xEF, 0xBB, 0x0A], "ï»\n"), ("latin1", [0xFE, 0x0D, 0xFF], "þ\rÿ"),
        ("latin1", [0xFF, 0xFE, 0x61, 0x00, 0x0A, 0x00, 0x0A, 0x01], "a\nĊ"),
        ("gb18030", [0x81, 0x30, 0x81, 0x30, 0x0A, 0xC4, 0xE3], "\u{80}\n你"),
        (
            "iso-2022-jp",
            [0x61, 0x0A, 0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42, 0x0A, 0x1B, 0x28, 0x4A, 0x5C, 0x0A, 0x5C],
            "a\nあ\n¥\n¥"
        ),
    ]

    @Test("the text is the same wherever it is cut", arguments: bodies)
    func same(_ charset: String, _ bytes: [UInt8], _ expected: String) {
        for length in 1...max(1, bytes.count) {
            let (text, error) = text(bytes, charset, pieceBytes: length)
            #expect(String(decoding: text, as: UTF8.self) == expected, "in pieces of \(length)")
            #expect(error == nil)
        }
    }

    @Test("more than a block is the same text")
    func long() {
        let line = Array("雪 and some more\n".utf16)
        let units = (0..<10_000).flatMap { _ in line }
        let bytes = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(
            text(bytes, "utf-16be", pieceBytes: bytes.count).text == Array(String(decoding: units, as: UTF16.self).utf8)
        )
    }

    @Test("what is malformed is an error with its place in the body, after the lines before")
    func malformed() {
        for length in 1...9 {
            let (text, error) = text(
                [0x61, 0x0A, 0x62, 0x0D, 0x63, 0xFF, 0x0A, 0x64, 0x0A], "shift_jis", pieceBytes: length)
            #expect(text == Array("a\nb\r".utf8))
            #expect(error == "the body is not valid Shift_JIS at byte 5")
        }
    }

    @Test("a line that is too long is an error while it comes")
    func limit() {
        let bytes = Array("ab\ncdef".utf8)
        #expect(text(bytes, "latin1", pieceBytes: 1, limit: 4).error == nil)
        #expect(text(bytes, "latin1", pieceBytes: 1, limit: 3).text == Array("ab\n".utf8))
        #expect(text(bytes, "latin1", pieceBytes: 1, limit: 3).error == "an element is longer than 3 bytes")
    }

    @Test("a charset that is not known is an error, unless the bytes say otherwise")
    func unknown() {
        #expect(
            text([0x61], "x-none", pieceBytes: 1).error
                == "the charset x-none is not known; the option charsetOverride can set another")
        #expect(text([0xEF, 0xBB, 0xBF, 0x61], "x-none", pieceBytes: 1).text == [0x61])
    }
}
