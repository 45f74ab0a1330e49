// Lines, and text in pieces, out of bytes that are cut anywhere: what several formats of streams share. How a format frames its
// elements stands with the format, in Plugins/<Format>, as an ElementParser; that contract is in Contract.

/// The lines of a text, in any charset that `TextDecoder` reads: the elements of a stream of `String`.
///
/// A line ends with LF, CR or both, and what is behind the last end is a line too, if it is anything. The charset comes from the byte
/// order mark, else from the `charset` parameter, else it is UTF-8. Bytes that break its rules are a `TextDecodingFailure`, after
/// the lines before.
package struct LineParser: ElementParser {
    private enum Reading: Sendable {
        /// The first bytes may yet be a byte order mark.
        case undecided
        /// The encoding has ASCII where a character begins, and nowhere else the bytes of line ends: a line is decoded as a whole.
        case byLine(TextEncodingName)
        /// Line ends can only be seen in the text, so it is made before the lines are.
        case byCharacter(Transcoding)
    }

    private let contentType: ContentType
    private let defaultCharset: String
    private let charsetOverride: String?
    private let lossy: Bool
    private var reading = Reading.undecided
    private var lines: LineCollector
    /// Bytes that wait: the beginning of a mark, or of a character.
    private var held: [UInt8] = []
    /// How many bytes of the body come before those that are waiting, or that are looked at.
    private var offset = 0

    /// - Parameter lossy: whether U+FFFD stands for what cannot be decoded; in UTF-16 and ISO-2022-JP that is an error all the same.
    package init(
        _ contentType: ContentType, defaultCharset: String = "utf-8", charsetOverride: String? = nil,
        lossy: Bool = false, maximumElementBytes: Int
    ) {
        self.contentType = contentType
        (self.defaultCharset, self.charsetOverride, self.lossy) = (defaultCharset, charsetOverride, lossy)
        lines = LineCollector(.any, limit: ElementLimit(maximumElementBytes))
    }

    package mutating func parse(_ bytes: Span<UInt8>, emit: (String) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { try parse(UnsafeRawBufferPointer($0), isLast: false, emit) }
    }

    package mutating func finish(emit: (String) throws -> Void) throws {
        if case .undecided = reading, !held.isEmpty { reading = try labelled() }
        try parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, emit)
        guard let line = try lines.last() else { return }
        let encoding: TextEncodingName = if case .byLine(let encoding) = reading { encoding } else { .utf8 }
        try emit(try TextDecoder.decode(line, at: offset - line.count, encoding, lossy: lossy))
    }

    private mutating func parse(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ emit: (String) throws -> Void
    ) throws {
        var bytes = bytes
        if case .undecided = reading {
            held += bytes
            guard try decide() else { return }
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        switch reading {
        case .undecided: return
        case .byLine(let encoding):
            let first = take()
            try first.withUnsafeBytes { try cut($0, encoding, emit) }
            try cut(bytes, encoding, emit)
        case .byCharacter(var transcoding):
            held += bytes
            let (text, used, failure) = held.withUnsafeBytes { transcoding.decode($0, at: offset, isLast: isLast) }
            reading = .byCharacter(transcoding)
            held.removeFirst(used)
            offset += used
            try text.withUnsafeBytes { try cut($0, nil, emit) }
            if let failure { throw failure }
        }
    }

    /// Decodes the lines that end in a piece: of the body, or of text in UTF-8 where no encoding is named.
    private mutating func cut(
        _ bytes: UnsafeRawBufferPointer, _ encoding: TextEncodingName?, _ emit: (String) throws -> Void
    ) throws {
        var piece = LineCollector.Piece(bytes)
        while let line = try lines.next(in: &piece) {
            let start = offset + piece.lineEnd - line.count
            try emit(try TextDecoder.decode(line, at: start, encoding ?? .utf8, lossy: lossy))
        }
        if encoding != nil { offset += bytes.count }
    }

    private mutating func take() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// Chooses how to read, by the first bytes; false where there are too few of them.
    private mutating func decide() throws(TextDecodingFailure) -> Bool {
        let mark = held.withUnsafeBytes { TextDecoder.byteOrderMark(of: $0) }
        if let mark {
            reading = Self.reading(mark.encoding)
            held.removeFirst(mark.length)
            offset = mark.length
            return true
        }
        let isBeginning = [[], [0xEF], [0xEF, 0xBB], [0xFE], [0xFF]].contains(held)
        if !isBeginning { reading = try labelled() }
        return !isBeginning
    }

    private func labelled() throws(TextDecodingFailure) -> Reading {
        do throws(TextDecodingFailure) {
            return Self.reading(
                try TextDecoder.encoding(
                    of: contentType, defaultCharset: defaultCharset, charsetOverride: charsetOverride))
        } catch {
            guard lossy else { throw error }
            return Self.reading(.utf8)
        }
    }

    private static func reading(_ encoding: TextEncodingName) -> Reading {
        switch encoding {
        case .utf16BE: .byCharacter(.utf16(isBigEndian: true))
        case .utf16LE: .byCharacter(.utf16(isBigEndian: false))
        case .iso2022JP: .byCharacter(.iso2022JP(ISO2022JPDecoder()))
        default: .byLine(encoding)
        }
    }
}

/// Decodes an encoding in which a line end is no byte of its own, as far as characters are whole.
private enum Transcoding: Sendable {
    case utf16(isBigEndian: Bool)
    case iso2022JP(ISO2022JPDecoder)

    /// The text in UTF-8, how many of the bytes it is made of, all of them where they are the last, and what is wrong behind those.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, isLast: Bool
    ) -> (text: [UInt8], used: Int, failure: TextDecodingFailure?) {
        switch self {
        case .utf16(let isBigEndian):
            var used = bytes.count
            if !isLast {
                used &= ~1
                // Half of a pair waits for the other.
                if used > 0, bytes[used - (isBigEndian ? 2 : 1)] & 0xFC == 0xD8 { used -= 2 }
            }
            return Self.decodeUTF16(
                UnsafeRawBufferPointer(rebasing: bytes[..<used]), at: offset, isBigEndian ? .utf16BE : .utf16LE)
        case .iso2022JP(var decoder):
            defer { self = .iso2022JP(decoder) }
            var text: [UInt8] = []
            var used = 0
            while used < bytes.count, isLast || decoder.isWhole(in: bytes, at: used) {
                let sequence = decoder.sequence(in: bytes, at: used)
                guard !sequence.isMalformed else {
                    let charset = TextEncodingName.iso2022JP.rawValue
                    return (text, used, TextDecodingFailure(.malformed(offset: offset + used), charset: charset))
                }
                used += sequence.length
                if !sequence.isShift {
                    withUnsafeBytes(of: sequence.text.bytes.littleEndian) { text += $0.prefix(sequence.text.count) }
                }
            }
            return (text, used, nil)
        }
    }

    private static func decodeUTF16(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, _ encoding: TextEncodingName
    ) -> (text: [UInt8], used: Int, failure: TextDecodingFailure?) {
        do throws(TextDecodingFailure) {
            return (Array(try TextDecoder.decode(bytes, at: offset, encoding).utf8), bytes.count, nil)
        } catch {
            // What is before the place is not malformed.
            guard case .malformed(let place) = error.reason, place - offset < bytes.count else { return ([], 0, error) }
            let whole = UnsafeRawBufferPointer(rebasing: bytes[..<(place - offset)])
            let text = (try? TextDecoder.decode(whole, at: offset, encoding)) ?? ""
            return (Array(text.utf8), whole.count, error)
        }
    }
}
