/// Text of any charset that arrives in pieces, passed on as UTF-8. The text does not depend on the pieces.
///
/// The charset is found as in `TextDecoder`. UTF-8 is passed on without its byte order mark and without a check: the
/// consumer finds malformed bytes. Text in every other charset is decoded in whole lines, and each line is passed on
/// when its end arrives. A line end is never part of another character in these charsets.
package struct TextPieces: Sendable {
    /// The largest number of bytes that are decoded at a time.
    private static var blockBytes: Int { 1 << 16 }

    private let contentType: ContentType
    private let defaultCharset: String
    private let charsetOverride: String?
    private let lossy: Bool
    private let maximumLine: ElementLimit
    /// Nil until enough bytes have arrived to recognise a byte order mark.
    private var encoding: TextEncodingName?
    /// The number of bytes of a UTF-8 byte order mark, which are not passed on.
    var markOfUTF8: Int { encoding == .utf8 ? offset : 0 }
    /// Bytes that are not passed on yet: the start of a line or, at the start of the body, of a byte order mark.
    private var held: [UInt8] = []
    /// The number of held bytes that were searched for a line end.
    private var position = 0
    /// The position of the held bytes in the body.
    private var offset = 0
    /// Whether the next bytes are ASCII. In ISO-2022-JP this depends on the last escape sequence.
    private var isASCII = true

    /// - Parameters:
    ///   - defaultCharset: the label for a Content-Type without a charset.
    ///   - charsetOverride: the label that overrides Content-Type; nil for none.
    ///   - lossy: whether malformed bytes become U+FFFD, and an unknown charset is read as UTF-8.
    ///   - maximumLine: the limit of held bytes of a line, in charsets other than UTF-8.
    package init(
        _ contentType: ContentType, defaultCharset: String = "utf-8", charsetOverride: String? = nil,
        lossy: Bool = false, maximumLine: ElementLimit
    ) {
        self.contentType = contentType
        (self.defaultCharset, self.charsetOverride, self.lossy) = (defaultCharset, charsetOverride, lossy)
        self.maximumLine = maximumLine
    }

    /// Reads the next piece of the body, and passes on the text that the piece completes.
    /// - Parameter taker: the value that `take` changes. It is a parameter because `take` cannot capture it: `taker` is
    ///   stored next to this value, which is being changed.
    /// - Throws: `TextDecodingFailure`, after the lines before the malformed bytes; `ElementLimitFailure` for a line
    ///   that is too long; the error of `take`.
    package mutating func read<Taker>(
        _ piece: UnsafeBufferPointer<UInt8>, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        var rest = piece[...]
        while encoding == nil, !rest.isEmpty {
            // The first three bytes usually show the encoding. UTF-8 text is then passed on from `piece` without a
            // copy.
            let taken = held.isEmpty ? 3 : 1
            held.append(contentsOf: rest.prefix(taken))
            rest = rest.dropFirst(taken)
            guard try begin(isWhole: false) else { continue }
            if encoding == .utf8, taken == 3 {
                rest = piece.dropFirst(offset)
                held = []
            }
        }
        guard encoding == .utf8 else {
            while !rest.isEmpty {
                held.append(contentsOf: rest.prefix(Self.blockBytes))
                rest = rest.dropFirst(Self.blockBytes)
                try handLines(&taker, take)
            }
            return
        }
        try handHeld(&taker, take)
        if !rest.isEmpty { try take(&taker, UnsafeBufferPointer(rebasing: rest)) }
    }

    /// Ends the body: passes on the held bytes.
    package mutating func finish<Taker>(
        _ taker: inout Taker, _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        if encoding == nil { _ = try begin(isWhole: true) }
        try handHeld(&taker, take)
    }

    /// Finds the encoding and removes the byte order mark; false if more bytes are needed.
    private mutating func begin(isWhole: Bool) throws -> Bool {
        let mark = held.withUnsafeBytes(TextDecoder.byteOrderMark)
        let beginnings: [[UInt8]] = [[], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF]]
        if mark == nil, !isWhole, beginnings.contains(held) { return false }
        encoding = try mark?.encoding ?? labelled()
        offset = mark?.length ?? 0
        held.removeFirst(offset)
        return true
    }

    /// The encoding of a body without a byte order mark.
    private func labelled() throws(TextDecodingFailure) -> TextEncodingName {
        do throws(TextDecodingFailure) {
            return try TextDecoder.encoding(
                of: contentType, defaultCharset: defaultCharset, charsetOverride: charsetOverride)
        } catch {
            guard lossy else { throw error }
            return .utf8
        }
    }

    private mutating func handHeld<Taker>(
        _ taker: inout Taker, _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard !held.isEmpty else { return }
        let rest = held
        held = []
        try rest.withUnsafeBufferPointer { bytes in
            if encoding == .utf8 { try take(&taker, bytes) } else { try decode(bytes, &taker, take) }
        }
    }

    /// Passes on the held bytes up to their last line end.
    private mutating func handLines<Taker>(
        _ taker: inout Taker, _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        let end = readToLastLineEnd()
        if end > 0 {
            try held.withUnsafeBufferPointer { try decode(UnsafeBufferPointer(rebasing: $0[..<end]), &taker, take) }
            held.removeFirst(end)
            position -= end
            offset += end
        }
        guard held.count <= maximumLine.bytes else { throw maximumLine.exceeded }
    }

    /// The position after the last held line end; 0 if there is none. The function reads no byte twice.
    private mutating func readToLastLineEnd() -> Int {
        switch encoding {
        case .utf16BE, .utf16LE:
            let start = position
            position = held.count & ~1
            return held.withUnsafeBufferPointer { Self.lastLineEnd(in: $0, start..<position, encoding) }
        case .iso2022JP:
            var end = 0
            while position < held.count {
                switch held[position] {
                case 0x0A where isASCII, 0x0D where isASCII: end = position + 1
                case 0x1B:
                    guard position + 2 < held.count else { return end }
                    switch (held[position + 1], held[position + 2]) {
                    case (0x28, 0x42): isASCII = true
                    case (0x28, 0x4A), (0x28, 0x49), (0x24, 0x40), (0x24, 0x42): isASCII = false
                    default: break
                    }
                default: break
                }
                position += 1
            }
            return end
        default:
            let start = position
            position = held.count
            return held.withUnsafeBufferPointer { Self.lastLineEnd(in: $0, start..<position, encoding) }
        }
    }

    private static func lastLineEnd(
        in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ encoding: TextEncodingName?
    ) -> Int {
        var end = range.upperBound
        switch encoding {
        case .utf16BE, .utf16LE:
            let (high, low) = encoding == .utf16BE ? (2, 1) : (1, 2)
            while end - 2 >= range.lowerBound {
                if bytes[end - high] == 0, bytes[end - low] == 0x0A || bytes[end - low] == 0x0D { return end }
                end -= 2
            }
        default:
            while end > range.lowerBound {
                if bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { return end }
                end -= 1
            }
        }
        return 0
    }

    private func decode<Taker>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        guard let encoding else { return }
        var text: String
        do throws(TextDecodingFailure) {
            text = try TextDecoder.decode(UnsafeRawBufferPointer(bytes), from: 0, encoding, lossy: lossy)
        } catch {
            guard case .malformed(let place) = error.reason else { throw error }
            let isUTF16 = encoding == .utf16BE || encoding == .utf16LE
            let whole = isUTF16 ? place & ~1 : place
            let end = Self.lastLineEnd(in: bytes, 0..<whole, encoding)
            if end > 0 { try decode(UnsafeBufferPointer(rebasing: bytes[..<end]), &taker, take) }
            throw TextDecodingFailure(.malformed(offset: offset + place), charset: error.charset)
        }
        try text.withUTF8 { try take(&taker, $0) }
    }
}

/// The bytes of a body as they arrive: the elements of a stream of `Data`, `[UInt8]` or `ResponseBody`.
struct Pieces<Piece: Sendable>: ElementParser {
    let make: @Sendable (UnsafeRawBufferPointer) -> Piece

    func parse(_ bytes: Span<UInt8>, emit: (Piece) throws -> Void) throws {
        if !bytes.isEmpty { try emit(bytes.withUnsafeBytes { make($0) }) }
    }

    func finish(emit: (Piece) throws -> Void) throws {}
}

extension UnsafeRawBufferPointer {
    /// The byte order mark of UTF-8. One mark at the start of a body is passed over (RFC 8259, section 8.1).
    package static var mark: [UInt8] { [0xEF, 0xBB, 0xBF] }

    /// The bytes without a byte order mark at the start.
    package var withoutMark: UnsafeRawBufferPointer {
        starts(with: Self.mark) ? UnsafeRawBufferPointer(rebasing: self[Self.mark.count...]) : self
    }
}
