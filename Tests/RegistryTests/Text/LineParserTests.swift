import TestSupport
import Testing

@testable import PatchbayRegistry

/// The lines of a text, in every charset and wherever the pieces are cut.
@Suite struct LineParserTests {
    private static func lines(
        _ pieces: [ArraySlice<UInt8>], _ contentType: String?, limit: Int = .max
    ) throws -> (lines: [String], failure: String?) {
        let fields = contentType.map { ["Content-Type": $0] } ?? [:]
        let head = try #require(
            ResponseHead.fixture(fields: HeaderFields(fields.map { ($0.key, $0.value) })))
        var parser = LineParser(head.contentType, maximumElementBytes: limit)
        var lines: [String] = []
        do {
            for piece in pieces { try parser.parse(Array(piece)) { lines.append($0) } }
            try parser.finish { lines.append($0) }
        } catch {
            return (lines, "\(error)")
        }
        return (lines, nil)
    }

    /// The same for a body whole, byte by byte and cut in two at every place; issues where they differ.
    private static func everySplit(
        _ body: [UInt8], _ contentType: String?, limit: Int = .max
    ) throws -> (lines: [String], failure: String?) {
        let whole = try lines([body[...]], contentType, limit: limit)
        let splits = [body.indices.map { body[$0...$0] }] + (0...body.count).map { [body[..<$0], body[$0...]] }
        for pieces in splits {
            let run = try lines(pieces, contentType, limit: limit)
            #expect(run == whole, "\(contentType ?? "none"): \(pieces)")
        }
        return whole
    }

    static let texts: [(name: String, text: String, lines: [String])] = [
        ("LF", "a\nb\n", ["a", "b"]), ("CRLF", "a\r\nb\r\n", ["a", "b"]), ("CR", "a\rb\r", ["a", "b"]),
        ("no last end", "a\nb", ["a", "b"]), ("empty lines", "\n\na\r\n\r\n", ["", "", "a", ""]),
        ("nothing", "", []), ("a line", "a", ["a"]),
    ]

    @Test("lines by their ends", arguments: texts)
    func endCounts(_ name: String, _ text: String, _ lines: [String]) throws {
        let run = try Self.everySplit(Array(text.utf8), nil)
        #expect(run.lines == lines)
        #expect(run.failure == nil)
    }

    static let charsets: [(contentType: String?, bytes: [UInt8], lines: [String])] = [
        ("text/plain; charset=windows-1252", [0x80, 0x0A, 0xE9], ["€", "é"]),
        ("text/plain; charset=shift_jis", [0x93, 0xFA, 0x0A, 0x95, 0x5C, 0x0D, 0x0A, 0x41], ["日", "表", "A"]),
        ("text/plain; charset=gb18030", [0x81, 0x30, 0x84, 0x36, 0x0A, 0xD6, 0xD0], ["\u{A5}", "中"]),
        ("text/plain; charset=euc-kr", [0xB0, 0xA1, 0x0A, 0xB0, 0xA2], ["가", "각"]),
        ("text/plain; charset=big5", [0xA4, 0xA4, 0x0A], ["中"]),
        (
            "text/plain; charset=iso-2022-jp",
            [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x0A, 0x41, 0x0D, 0x0A], ["日", "A"]
        ),
        ("text/plain; charset=iso-2022-jp", [0x1B, 0x28, 0x4A, 0x5C, 0x0A, 0x7E, 0x1B, 0x28, 0x42], ["¥", "‾"]),
        ("text/plain; charset=utf-16le", [0x41, 0, 0x0A, 0, 0x3D, 0xD8, 0x42, 0xDE, 0x0D, 0, 0x0A, 0], ["A", "🙂"]),
        ("text/plain; charset=utf-16be", [0x0A, 0x0D, 0, 0x0A, 0xD8, 0x3D, 0xDE, 0x42], ["\u{0A0D}", "🙂"]),
        (nil, [0xFF, 0xFE, 0x41, 0, 0x0A, 0, 0x42, 0], ["A", "B"]),
        ("text/plain; charset=shift_jis", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0x0A], ["é"]),
        (nil, [0xEF, 0xBB, 0xBF], []), (nil, [0xC3, 0xA9, 0x0A, 0xF0, 0x9F, 0x99, 0x82], ["é", "🙂"]),
        ("text/plain; charset=windows-1252", [0xEF, 0xBB, 0x0A, 0xFF], ["ï»", "ÿ"]),
        ("text/plain; charset=windows-1252", [0xEF], ["ï"]),
    ]

    @Test("lines in the charset of the text, with characters cut in two", arguments: charsets.indices)
    func charsetIsRead(_ index: Int) throws {
        let (contentType, bytes, lines) = Self.charsets[index]
        let run = try Self.everySplit(bytes, contentType)
        #expect(run.lines == lines)
        #expect(run.failure == nil)
        let body = ResponseBody(bytes)
        let head = try #require(ResponseHead.fixture(fields: contentType.map { ["Content-Type": $0] } ?? [:]))
        let text = try TextDecoder.decode(body, head.contentType)
        let ends = text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        #expect(ends == lines, "the whole body is the same text")
    }

    static let failures: [(contentType: String?, bytes: [UInt8], lines: [String], failure: String)] = [
        (nil, [0x61, 0x0A, 0x62, 0xFF, 0x0A, 0x63], ["a"], "the body is not valid UTF-8 at byte 3"),
        (nil, [0x61, 0x0A, 0xC3], ["a"], "the body is not valid UTF-8 at byte 2"),
        (nil, [0xEF, 0xBB, 0xBF, 0x61, 0x0A, 0xFF], ["a"], "the body is not valid UTF-8 at byte 5"),
        ("a/b; charset=shift_jis", [0x61, 0x0D, 0x0A, 0x93], ["a"], "the body is not valid Shift_JIS at byte 3"),
        ("a/b; charset=utf-16le", [0x61, 0, 0x0A, 0, 0x62], ["a"], "the body is not valid UTF-16LE at byte 4"),
        ("a/b; charset=utf-16le", [0x61, 0, 0x0A, 0, 0x3D, 0xD8], ["a"], "the body is not valid UTF-16LE at byte 4"),
        (
            "a/b; charset=utf-7", [0x61], [],
            "the charset utf-7 is not known; the option charsetOverride can set another"
        ),
        (
            "a/b; charset=hz-gb-2312", [0x61], [],
            "text in the charset replacement cannot be decoded here; the option charsetOverride can set another"
        ),
    ]

    @Test(
        "what is not of the charset is an error with its place, after the lines before it", arguments: failures.indices)
    func failureIsSaid(_ index: Int) throws {
        let (contentType, bytes, lines, failure) = Self.failures[index]
        let run = try Self.everySplit(bytes, contentType)
        #expect(run.lines == lines)
        #expect(run.failure == failure)
    }

    @Test("a character of ISO-2022-JP that is cut off is an error with its place")
    func cutOff() throws {
        let body: [UInt8] = [0x61, 0x0A, 0x1B, 0x24, 0x42, 0x46]
        #expect(
            try Self.lines([body[...]], "a/b; charset=iso-2022-jp").failure
                == "the body is not valid ISO-2022-JP at byte 5")
        #expect(try Self.everySplit(body, "a/b; charset=iso-2022-jp").lines == ["a"])
    }

    @Test(
        "where loss is allowed U+FFFD stands for what is malformed, in every charset and wherever it is cut",
        arguments: [
            ("utf-16le", [0x41, 0, 0x0A, 0, 0x3D, 0xD8, 0x0A, 0], ["A", "\u{FFFD}"]),
            ("iso-2022-jp", [0x41, 0x0A, 0x0E, 0x0A, 0x42], ["A", "\u{FFFD}", "B"]),
            ("shift_jis", [0x41, 0x0A, 0x93, 0x0A], ["A", "\u{FFFD}"]), ("utf-8", [0xFF, 0x0A], ["\u{FFFD}"]),
            ("no-such-charset", [0x41, 0xFF], ["A\u{FFFD}"]),
        ] as [(String, [UInt8], [String])])
    func lossy(_ charset: String, _ body: [UInt8], _ expected: [String]) throws {
        let head = try #require(ResponseHead.fixture(fields: ["Content-Type": "text/plain; charset=\(charset)"]))
        for cut in 0...body.count {
            var parser = LineParser(head.contentType, lossy: true, maximumElementBytes: .max)
            var lines: [String] = []
            for piece in [body[..<cut], body[cut...]] { try parser.parse(Array(piece)) { lines.append($0) } }
            try parser.finish { lines.append($0) }
            #expect(lines == expected, "\(cut)")
        }
    }

    @Test("a line is given when its end has come")
    func promptness() throws {
        let head = try #require(ResponseHead.fixture(fields: ["Content-Type": "text/plain; charset=utf-16le"]))
        var parser = LineParser(head.contentType, maximumElementBytes: .max)
        var lines: [String] = []
        try parser.parse([0x41, 0, 0x0D, 0]) { lines.append($0) }
        #expect(lines == ["A"])
    }

    @Test("a line that is too long is an error, after the lines before it")
    func limit() throws {
        let run = try Self.everySplit(Array("abc\nabcd\n".utf8), nil, limit: 3)
        #expect(run.lines == ["abc"])
        #expect(run.failure == "an element is longer than 3 bytes")
    }

    @Test("garbage gives the same for every split", arguments: TextEncodingName.allCases)
    func garbage(_ encoding: TextEncodingName) throws {
        var random = SplitMix(seed: 17)
        let bytes: [UInt8] = [
            0x0A, 0x0D, 0x1B, 0x24, 0x28, 0x42, 0x4A, 0x30, 0x41, 0x81, 0x84, 0xA4, 0xC3, 0xD8, 0xEF, 0xFF, 0,
        ]
        for _ in 0..<12 {
            let body = (0..<Int.random(in: 0...9, using: &random)).map { _ in bytes.randomElement(using: &random) ?? 0
            }
            _ = try Self.everySplit(body, "text/plain; charset=\(encoding)")
        }
    }

    @Test("pieces of bytes are as they come, but for empty ones")
    func pieces() throws {
        var parser = Pieces { [UInt8]($0) }
        var pieces: [[UInt8]] = []
        for piece in [[1, 2], [], [3]] as [[UInt8]] { try parser.parse(piece) { pieces.append($0) } }
        try parser.finish { pieces.append($0) }
        #expect(pieces == [[1, 2], [3]])
    }

    @Test("a copy of a buffer that is filling up has bytes of its own")
    func copies() throws {
        func bytes(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
            try Array(text.utf8).withUnsafeBytes(body)
        }
        var one = ElementBuffer(limit: ElementLimit(8))
        try bytes("ab") { try one.keep($0) }
        var other = one
        try bytes("cd") { try one.keep($0) }
        try bytes("x") { try other.keep($0) }
        #expect(Array(one.bytes) == Array("abcd".utf8))
        #expect(Array(other.bytes) == Array("abx".utf8))
        let third = one
        one.removeAll()
        #expect(third.count == 4)
        #expect(one.count == 0)
        #expect(Array(third.bytes) == Array("abcd".utf8))
        try bytes("e") { try #expect(Array(other.element(endingWith: $0)) == Array("abxe".utf8)) }
        #expect(other.count == 0)
        #expect(throws: ElementLimitFailure(limit: 8)) { try bytes("123456789") { try other.keep($0) } }
        // A piece is read together with the kept bytes, and its end is kept; `third` is a copy.
        var fourth = third
        try bytes("efg") { piece in
            for count in [7, 2] {
                let element = try fourth.element(
                    endingWith: count == 7 ? piece : UnsafeRawBufferPointer(start: nil, count: 0))
                #expect(Array(element) == Array("abcdefg".utf8))
                try fourth.keep(last: count, of: element)
            }
        }
        #expect(Array(fourth.bytes) == Array("fg".utf8))
        #expect(Array(third.bytes) == Array("abcd".utf8))
    }
}
