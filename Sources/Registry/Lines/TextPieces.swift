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
    private var held = ElementBuffer()
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
        _ piece: UnsafeRawBufferPointer, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = piece[...]
        if encoding == nil {
            // The first three bytes show the encoding. If they are in one piece, its text is passed on without a copy.
            let isCut = held.count > 0
            let head = try held.element(endingWith: UnsafeRawBufferPointer(rebasing: rest.prefix(3)))
            let isKnown = try begin(head, isWhole: false)
            if !isKnown || isCut { try held.keep(last: head.count - offset, of: head) }
            guard isKnown else { return }
            rest = rest.dropFirst(isCut ? 3 : offset)
        }
        guard encoding == .utf8 else {
            while !rest.isEmpty {
                try passLines(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockBytes)), &taker, take)
                rest = rest.dropFirst(Self.blockBytes)
            }
            return
        }
        if held.count > 0 {
            try take(&taker, held.bytes)
            held.removeAll()
        }
        if !rest.isEmpty { try take(&taker, UnsafeRawBufferPointer(rebasing: rest)) }
    }

    /// Ends the body: passes on the held bytes.
    package mutating func finish<Taker>(
        _ taker: inout Taker, _ take: (inout Taker, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        // The held bytes are not a whole byte order mark.
        if encoding == nil { _ = try begin(held.bytes, isWhole: true) }
        guard held.count > 0 else { return }
        if encoding == .utf8 { try take(&taker, held.bytes) } else { try decode(held.bytes, &taker, take) }
    }

    /// Finds the encoding and the length of the byte order mark; false if more bytes are needed.
    private mutating func begin(_ head: UnsafeRawBufferPointer, isWhole: Bool) throws -> Bool {
        let mark = TextDecoder.byteOrderMark(of: head)
        let beginnings: [[UInt8]] = [[], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF]]
        if mark == nil, !isWhole, beginnings.contains(where: head.elementsEqual) { return false }
        encoding = try mark?.encoding ?? labelled()
        offset = mark?.length ?? 0
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

    /// Passes on the held bytes and the block, up to their last line end.
    private mutating func passLines<Taker>(
        _ block: UnsafeRawBufferPointer, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let bytes = try held.element(endingWith: block)
        let end = readToLastLineEnd(bytes)
        if end > 0 {
            try decode(UnsafeRawBufferPointer(rebasing: bytes[..<end]), &taker, take)
            position -= end
            offset += end
        }
        try held.keep(last: bytes.count - end, of: bytes)
        guard held.count <= maximumLine.bytes else { throw maximumLine.exceeded }
    }

    /// The position after the last line end; 0 if there is none. The function reads no byte twice.
    private mutating func readToLastLineEnd(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard encoding == .iso2022JP else {
            let start = position
            position = isUTF16 ? bytes.count & ~1 : bytes.count
            return lastLineEnd(in: bytes, start..<position)
        }
        var end = 0
        while position < bytes.count {
            switch bytes[position] {
            case 0x0A where isASCII, 0x0D where isASCII: end = position + 1
            case 0x1B:
                guard position + 2 < bytes.count else { return end }
                switch (bytes[position + 1], bytes[position + 2]) {
                case (0x28, 0x42): isASCII = true
                case (0x28, 0x4A), (0x28, 0x49), (0x24, 0x40), (0x24, 0x42): isASCII = false
                default: break
                }
            default: break
            }
            position += 1
        }
        return end
    }

    private var isUTF16: Bool { encoding == .utf16BE || encoding == .utf16LE }

    private func lastLineEnd(in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
        let width = isUTF16 ? 2 : 1
        let (high, low) = encoding == .utf16LE ? (1, 2) : (2, 1)
        var end = range.upperBound
        while end - width >= range.lowerBound {
            let byte = bytes[end - low]
            if byte == 0x0A || byte == 0x0D, width == 1 || bytes[end - high] == 0 { return end }
            end -= width
        }
        return 0
    }

    private func decode<Taker>(
        _ bytes: UnsafeRawBufferPointer, _ taker: inout Taker,
        _ take: (inout Taker, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let encoding else { return }
        var text: String
        do throws(TextDecodingFailure) {
            text = try TextDecoder.decode(bytes, from: 0, encoding, lossy: lossy)
        } catch {
            guard case .malformed(let place) = error.reason else { throw error }
            let end = lastLineEnd(in: bytes, 0..<(isUTF16 ? place & ~1 : place))
            if end > 0 { try decode(UnsafeRawBufferPointer(rebasing: bytes[..<end]), &taker, take) }
            throw TextDecodingFailure(.malformed(offset: offset + place), charset: error.charset)
        }
        try text.withUTF8 { try take(&taker, UnsafeRawBufferPointer($0)) }
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
