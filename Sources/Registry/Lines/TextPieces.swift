/// Text that arrives in pieces, of any charset, handed on as UTF-8: wherever the pieces are cut, the text is the same.
///
/// The charset is found as `TextDecoder` finds it. UTF-8 is handed on as it comes, without its byte order mark and unchecked: whoever
/// makes a text of it finds what is malformed. Every other charset is decoded in whole lines, because in none of them a line end is
/// part of another character, and so that a line is there as soon as its end is.
package struct TextPieces: Sendable {
    /// How much of a large piece is decoded at a time.
    private static var blockBytes: Int { 1 << 16 }

    private let contentType: ContentType
    private let defaultCharset: String
    private let charsetOverride: String?
    private let lossy: Bool
    private let maximumLine: ElementLimit
    /// Nil until enough bytes have been seen to tell a byte order mark.
    private var encoding: TextEncodingName?
    /// How many bytes of UTF-8 are not handed on, because they are its byte order mark.
    var markOfUTF8: Int { encoding == .utf8 ? offset : 0 }
    /// What has no line end yet; at the start, what may become a byte order mark.
    private var held: [UInt8] = []
    /// How many of the held bytes have been looked at for a line end.
    private var position = 0
    /// Where in the body the held bytes begin.
    private var offset = 0
    /// Whether bytes are read as ASCII: in ISO-2022-JP that depends on the last escape sequence.
    private var isASCII = true

    /// - Parameters:
    ///   - defaultCharset: the label that counts where Content-Type names no charset.
    ///   - charsetOverride: the label that counts whatever Content-Type names; nil for none.
    ///   - lossy: whether U+FFFD stands for what cannot be decoded, and UTF-8 for a charset that is not known.
    ///   - maximumLine: how many bytes are held of a line, in a charset other than UTF-8.
    package init(
        _ contentType: ContentType, defaultCharset: String = "utf-8", charsetOverride: String? = nil,
        lossy: Bool = false, maximumLine: ElementLimit
    ) {
        self.contentType = contentType
        (self.defaultCharset, self.charsetOverride, self.lossy) = (defaultCharset, charsetOverride, lossy)
        self.maximumLine = maximumLine
    }

    /// Takes the next piece of the body, and hands on the text that is complete with it.
    /// - Parameter taker: what `take` changes: a neighbour of this value, which a closure could not change beside it.
    /// - Throws: `TextDecodingFailure`, after the lines before what is malformed; `ElementLimitFailure` for a line that is too long; and
    ///   what `take` throws.
    package mutating func read<Taker>(
        _ piece: UnsafeBufferPointer<UInt8>, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        var rest = piece[...]
        while encoding == nil, !rest.isEmpty {
            // Mostly the first piece is long enough to tell, and is not copied.
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

    /// The body has ended: hands on the rest.
    package mutating func finish<Taker>(
        _ taker: inout Taker, _ take: (inout Taker, UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        if encoding == nil { _ = try begin(isWhole: true) }
        try handHeld(&taker, take)
    }

    /// Finds the encoding, and takes the byte order mark away; false where it takes more bytes to tell.
    private mutating func begin(isWhole: Bool) throws -> Bool {
        let mark = held.withUnsafeBytes(TextDecoder.byteOrderMark)
        let beginnings: [[UInt8]] = [[], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF]]
        if mark == nil, !isWhole, beginnings.contains(held) { return false }
        encoding = try mark?.encoding ?? labelled()
        offset = mark?.length ?? 0
        held.removeFirst(offset)
        return true
    }

    /// The encoding where no byte order mark names another.
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

    /// Hands on the held bytes up to their last line end.
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

    /// Where the last of the held line ends is over, or 0; looks at no byte a second time.
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

/// The bytes of a body as they come: the elements of a stream of `Data`, of `[UInt8]` or of `ResponseBody`.
struct Pieces<Piece: Sendable>: ElementParser {
    let make: @Sendable (UnsafeRawBufferPointer) -> Piece

    func parse(_ bytes: Span<UInt8>, emit: (Piece) throws -> Void) throws {
        if !bytes.isEmpty { try emit(bytes.withUnsafeBytes { make($0) }) }
    }

    func finish(emit: (Piece) throws -> Void) throws {}
}
