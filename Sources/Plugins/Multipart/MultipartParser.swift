import PatchbayJSON
package import PatchbayRegistry

/// Finds the parts of one body (RFC 2046, section 5.1.1).
///
/// A boundary is at the start of a line, with nothing but blanks after it. Line ends are CRLF or LF. Text before the
/// first boundary and after the last one is skipped; before the first one, it has the limit of a part. A part is complete
/// at the line end of the boundary after it. The last part is complete at the two hyphens that mark the last boundary.
package struct MultipartParser: ElementParser {
    /// The maximum size of a part's header, in bytes.
    static let maximumHeaderBytes = 16 << 10
    /// The maximum number of blanks after a boundary.
    private static let maximumPadding = 256

    /// The progress in the line of a boundary.
    private enum Match {
        /// This many bytes of the line feed, the two hyphens and the boundary were read.
        case delimiter(Int)
        /// One of the two hyphens after the last boundary was read.
        case hyphen
        /// This many blanks after a boundary were read.
        case padding(Int)
        /// The CR after a boundary and its blanks was read.
        case carriageReturn
    }

    private enum Stage { case preamble, part, epilogue }

    /// A line feed, two hyphens, and the boundary.
    private let delimiter: [UInt8]
    private let maximumParts: Int
    private let limit: Int

    private var stage = Stage.preamble
    /// The number of bytes of the preamble before the current piece, and before the last line feed.
    private var preamble = (read: 0, line: 0)
    /// The number of the current part, counted from 1.
    private var number = 0
    private var unfinished = ElementBuffer()
    // Positions count from the first byte of the current part.
    private var position = 0
    /// Starts at 1, as if a line feed came before the body.
    private var match = Match.delimiter(1)
    /// The position of the line feed at which a boundary can begin; -1 for the start.
    private var candidate = -1
    /// The start of the last line that was found in the header.
    private var lineStart = 0
    /// The start and end of the empty line after the header; nil before it is found.
    private var headerEnd: (start: Int, end: Int)?

    init(boundary: String, maximumParts: Int, maximumElementBytes: Int) {
        delimiter = Array("\n--\(boundary)".utf8)
        self.maximumParts = maximumParts
        limit = maximumElementBytes
    }

    /// Whether the last boundary was read. Text after it has no meaning.
    package var isFinished: Bool { stage == .epilogue }

    /// - Throws: `FormatFailure`; `ElementLimitFailure` for a part that is too long, including its header, and for
    ///   a preamble that is longer than a part can be.
    package mutating func parse(_ bytes: Span<UInt8>, emit: (ResponsePart) throws -> Void) throws {
        try bytes.withUnsafeBytes { piece in
            let bytes = try unfinished.element(endingWith: piece)
            let used = try read(bytes, emit)
            try unfinished.keep(last: bytes.count - used, of: bytes)
        }
    }

    package mutating func finish(emit: (ResponsePart) throws -> Void) throws {
        switch stage {
        case .preamble: throw FormatFailure.multipart(.malformed, "the boundary is nowhere in the body")
        case .part:
            throw FormatFailure.multipart(.truncated, "the body ends in part \(number), before the last boundary")
        case .epilogue: break
        }
    }

    /// Emits the parts that end in the bytes, which begin with a part. Returns the number of bytes that are no longer
    /// needed.
    private mutating func read(_ bytes: UnsafeRawBufferPointer, _ emit: (ResponsePart) throws -> Void) throws -> Int {
        var start = 0
        while stage != .epilogue {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let isLast = try readToBoundary(rest) else {
                if stage == .part {
                    try check(rest)
                    return start
                }
                // Nothing of the preamble is kept, except the number of matched bytes of a boundary.
                preamble.read += bytes.count
                // A boundary that is possibly beginning is no part of the preamble.
                let certain = if case .delimiter(0) = match { preamble.read } else { preamble.line }
                try checkPreamble(certain)
                (position, candidate) = (0, -1)
                return bytes.count
            }
            let next = start + position
            if stage == .part { try emit(part(rest)) } else { try checkPreamble(preamble.line) }
            if isLast {
                stage = .epilogue
                break
            }
            guard number < maximumParts else {
                throw FormatFailure.multipart(.limit, "there are more than \(maximumParts) of them")
            }
            number += 1
            stage = .part
            start = next
            (position, match, candidate, lineStart, headerEnd) = (0, .delimiter(1), -1, 0, nil)
        }
        return bytes.count
    }

    /// Reads up to the end of the next boundary. Returns whether it is the last one, or nil if more bytes are needed.
    private mutating func readToBoundary(_ bytes: UnsafeRawBufferPointer) throws -> Bool? {
        while position < bytes.count {
            let byte = bytes[position]
            switch match {
            case .delimiter(0):
                position = bytes.firstIndex(of: UInt8(ascii: "\n"), from: position)
                guard position < bytes.count else { return nil }
                try endLine(bytes)
                match = .delimiter(1)
            case .delimiter(let count) where count < delimiter.count:
                guard byte == delimiter[count] else {
                    match = .delimiter(0)
                    continue
                }
                match = .delimiter(count + 1)
            case .delimiter where byte == UInt8(ascii: "-"): match = .hyphen
            case .hyphen where byte == UInt8(ascii: "-"):
                position += 1
                return true
            case .delimiter where byte == UInt8(ascii: "\n"), .padding where byte == UInt8(ascii: "\n"),
                .carriageReturn where byte == UInt8(ascii: "\n"):
                position += 1
                return false
            case .delimiter where byte == UInt8(ascii: "\r"), .padding where byte == UInt8(ascii: "\r"):
                match = .carriageReturn
            case .delimiter where FieldByte.isBlank(byte): match = .padding(1)
            case .padding(let count) where FieldByte.isBlank(byte) && count < Self.maximumPadding:
                match = .padding(count + 1)
            case .delimiter, .hyphen, .padding, .carriageReturn:
                // The line only begins like the boundary. The byte can be the end of the line.
                match = .delimiter(0)
                continue
            }
            position += 1
        }
        return nil
    }

    /// Notes a line feed that a boundary can follow. In the header, an empty line ends the header.
    private mutating func endLine(_ bytes: UnsafeRawBufferPointer) throws {
        candidate = position
        if stage == .preamble { preamble.line = preamble.read + position }
        guard stage == .part, headerEnd == nil else { return }
        let isReturn = position > lineStart && bytes[position - 1] == UInt8(ascii: "\r")
        if position - lineStart == (isReturn ? 1 : 0) { headerEnd = (lineStart, position + 1) }
        lineStart = position + 1
        try checkHeader(lineStart)
    }

    /// Throws if the text before the first boundary is longer than an element can be.
    private func checkPreamble(_ count: Int) throws {
        guard count <= limit else { throw ElementLimitFailure(limit: limit) }
    }

    private func checkHeader(_ count: Int) throws {
        guard count <= Self.maximumHeaderBytes else {
            throw FormatFailure.multipart(
                .limit, "the header of part \(number) is longer than \(ByteCount(Self.maximumHeaderBytes))")
        }
    }

    /// Throws if the part is too long already.
    private func check(_ bytes: UnsafeRawBufferPointer) throws {
        if headerEnd == nil { try checkHeader(certain(bytes)) }
        if certain(bytes) > limit { throw ElementLimitFailure(limit: limit) }
    }

    /// The number of bytes that certainly belong to the part: the bytes before a line end that a boundary can follow.
    private func certain(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = bytes.count
        if case .delimiter(0) = match {} else { count = max(candidate, 0) }
        return count > 0 && bytes[count - 1] == UInt8(ascii: "\r") ? count - 1 : count
    }

    /// The part in these bytes, which extend to a boundary that has been read.
    private func part(_ bytes: UnsafeRawBufferPointer) throws -> ResponsePart {
        let count = certain(bytes)
        guard count <= limit else { throw ElementLimitFailure(limit: limit) }
        // A boundary directly after the header ends a part without a body.
        let header = headerEnd ?? (start: count, end: count)
        let encoded = UnsafeRawBufferPointer(rebasing: bytes[min(header.end, count)..<count])
        let fields = try fields(bytes[..<min(header.start, count)])
        guard let body = TransferEncoding(fields).decoded(encoded) else {
            throw FormatFailure.multipart(.malformed, "part \(number) is not base64, as its header says")
        }
        return ResponsePart(fields: fields, body: body)
    }

    /// The fields of a header. Its lines end with CRLF or LF. A line that begins with a blank continues the line before
    /// it (RFC 5322, section 2.2.3).
    private func fields(_ bytes: Slice<UnsafeRawBufferPointer>) throws -> HeaderFields {
        var fields: [HeaderFields.Element] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            var line = line
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard let first = line.first else { continue }
            if FieldByte.isBlank(first), let last = fields.indices.last {
                fields[last].value += " " + Self.text(line)
                continue
            }
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
            let name = colon.map { Self.text(line[..<$0]) } ?? ""
            guard let colon, FieldByte.isToken(name), !line.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") })
            else {
                throw FormatFailure.multipart(.malformed, "the header of part \(number) has a line that is no field")
            }
            fields.append((name, Self.text(line[(colon + 1)...])))
        }
        return HeaderFields(fields)
    }

    /// The text without blanks around it, decoded as UTF-8 or, if it is not valid UTF-8, as ISO-8859-1.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var bytes = bytes.drop(while: FieldByte.isBlank)
        while let last = bytes.last, FieldByte.isBlank(last) { bytes.removeLast() }
        return String(validating: bytes, as: UTF8.self)
            ?? bytes.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
    }
}
