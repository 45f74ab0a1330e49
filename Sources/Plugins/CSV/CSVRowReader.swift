import PatchbayJSON
import PatchbayRegistry

/// Finds rows in UTF-8 that arrives in pieces (RFC 4180, section 2).
///
/// A line ends with CR, LF or CRLF. A quote inside an unquoted field is text. An empty line is not a row, unless rows
/// have one field.
struct CSVRowReader: Sendable {
    /// The maximum size of a row, even if a larger limit is set, so that a position in it fits in four bytes.
    static let maximumRowBytes = 16 << 20
    static let maximumFields = 100_000

    /// In a `bad` row, everything up to the next line end is passed over.
    private enum State { case start, text, quoted, behindQuote, bad }

    private let delimiter: UInt8
    private let quote: UInt8
    private let badRows: BadElements
    private let limit: ElementLimit
    private var header: CSVRow.Header?
    private var isHeaderNext: Bool
    private var columns: Int?
    /// The line on which the current row begins.
    private(set) var line = 1
    /// The number of rows that were skipped because they are malformed.
    private(set) var skipped = 0

    private var unfinished = ElementBuffer()
    // The state of the current row. Positions count from its first byte.
    private var fields: [CSVRow.Field] = []
    private var position = 0
    private var fieldStart = 0
    private var state = State.start
    private var hasQuotes = false
    private var hasDoubledQuotes = false
    private var fault: FormatFailure?
    /// Whether the last row ended with a CR. An LF after it belongs to the same line end.
    private var isBehindReturn = false

    init(_ serializer: CSVRowsSerializer, hasHeader: Bool, _ limit: ElementLimit) {
        delimiter = UInt8(truncatingIfNeeded: serializer.delimiter.value)
        quote = UInt8(truncatingIfNeeded: serializer.quote.value)
        badRows = serializer.badRows
        isHeaderNext = hasHeader
        self.limit = limit
    }

    /// A clause with the character that seems to separate the fields, if the header row has only one field; empty if none
    /// seems to.
    var delimiterAdvice: String {
        guard let names = header?.names, names.count == 1,
            let delimiter = [";", "\t", "|", ","].first(where: { names[0].contains($0) })
        else { return "" }
        return "; the option delimiter may have to be \(Quoted(String(delimiter)))"
    }

    /// - Parameter emit: receives each row, and the line on which it begins.
    mutating func read(_ piece: UnsafeRawBufferPointer, _ emit: (consuming CSVRow, Int) throws -> Void) throws {
        let bytes = try unfinished.element(endingWith: piece)
        let used = try readRows(bytes, emit)
        try unfinished.keep(last: bytes.count - used, of: bytes)
    }

    mutating func finish(_ emit: (consuming CSVRow, Int) throws -> Void) throws {
        guard state != .quoted else { throw FormatFailure.csv(.truncated, line: line, "the body ends inside quotes") }
        guard unfinished.count > 0 else { return }
        if state != .bad { try endField(at: unfinished.count) }
        try endRow(unfinished.bytes, emit)
    }

    /// Emits the rows that end in the bytes, which begin with a row. Returns the number of bytes in these rows.
    private mutating func readRows(
        _ bytes: UnsafeRawBufferPointer, _ emit: (consuming CSVRow, Int) throws -> Void
    ) throws -> Int {
        var start = 0
        while start < bytes.count {
            if isBehindReturn, position == 0 {
                isBehindReturn = false
                if bytes[start] == UInt8(ascii: "\n") {
                    start += 1
                    continue
                }
            }
            // The bytes of the largest row and one byte of its line end.
            let most = min(bytes.count - start, limit.bytes + 1)
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<start + most])
            guard let end = try readRow(rest) else {
                if rest.count > limit.bytes { throw limit.exceeded }
                return start
            }
            isBehindReturn = rest[end] == UInt8(ascii: "\r")
            try endRow(UnsafeRawBufferPointer(rebasing: rest[..<end]), emit)
            start += end + 1
        }
        return start
    }

    /// Continues the current row. Returns the offset of the end of its line; nil if the row continues in the next
    /// piece.
    private mutating func readRow(_ bytes: UnsafeRawBufferPointer) throws -> Int? {
        let (delimiter, quote) = (delimiter, quote)
        var position = position
        defer { self.position = position }
        while position < bytes.count {
            switch state {
            case .start where bytes[position] == quote:
                (state, hasQuotes) = (.quoted, true)
                position += 1
                fieldStart = position
            case .start, .text:
                if state == .start { (state, fieldStart) = (.text, position) }
                position = Self.endOfText(bytes, from: position, delimiter)
                guard position < bytes.count else { return nil }
                try endField(at: position)
                if bytes[position] != delimiter { return position }
                position += 1
            case .quoted:
                position = bytes.firstIndex(of: quote, from: position)
                guard position < bytes.count else { return nil }
                position += 1
                state = .behindQuote
            case .behindQuote:
                let byte = bytes[position]
                if byte == quote {
                    (state, hasDoubledQuotes) = (.quoted, true)
                } else if byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                    try endField(at: position)
                    if byte != delimiter { return position }
                } else {
                    try refuse(.csv(.malformed, line: line, "there is text behind the quotes of a field"))
                }
                position += 1
            case .bad:
                position = Self.endOfText(bytes, from: position, UInt8(ascii: "\n"))
                return position < bytes.count ? position : nil
            }
        }
        return nil
    }

    @inline(__always)
    private mutating func endField(at end: Int) throws {
        guard fields.count < Self.maximumFields else {
            return try refuse(.csv(.limit, line: line, "it has more than \(Self.maximumFields) fields"))
        }
        let start = state == .start ? end : fieldStart
        let last = state == .behindQuote ? end - 1 : end
        // This can't truncate: a row is never longer than `maximumRowBytes`.
        fields.append(CSVRow.Field(start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: last)))
        state = .start
    }

    /// Passes over the rest of a row that can't be read, if the option allows that, else throws. The header row can't be
    /// skipped: the rows after it would get the names of another row.
    private mutating func refuse(_ failure: FormatFailure) throws {
        guard badRows == .skip, !isHeaderNext else { throw failure }
        (fault, state) = (failure, .bad)
    }

    /// Emits the row of these bytes, whose fields have been read.
    private mutating func endRow(_ bytes: UnsafeRawBufferPointer, _ emit: (consuming CSVRow, Int) throws -> Void) throws
    {
        let isNothing = bytes.isEmpty && columns != 1
        var row: CSVRow?
        if fault == nil, !isNothing {
            do { row = try self.row(bytes) } catch { try refuse(error) }
        }
        let begin = line
        line += 1 + (hasQuotes ? Self.lineEnds(in: bytes) : 0)
        fields.removeAll(keepingCapacity: true)
        (position, hasQuotes, hasDoubledQuotes, state) = (0, false, false, .start)
        guard fault.take() == nil else {
            skipped += 1
            return
        }
        guard let row = row.take() else { return }
        if columns == nil { columns = row.count }
        if isHeaderNext {
            isHeaderNext = false
            header = CSVRow.Header(row.fields)
        } else {
            if header != nil, let columns, columns != row.count {
                guard badRows == .error else {
                    skipped += 1
                    return
                }
                throw FormatFailure.csv(
                    .malformed, line: begin,
                    "it has \(Self.count(row.count)), and the header row has \(columns)\(delimiterAdvice)")
            }
            try emit(consume row, begin)
        }
    }

    private func row(_ bytes: UnsafeRawBufferPointer) throws(FormatFailure) -> CSVRow {
        guard hasDoubledQuotes else {
            try check(bytes)
            return CSVRow(bytes, fields, header)
        }
        var (plain, places): ([UInt8], [CSVRow.Field]) = ([], [])
        plain.reserveCapacity(bytes.count)
        places.reserveCapacity(fields.count)
        for field in fields {
            let start = UInt32(truncatingIfNeeded: plain.count)
            var rest = bytes[Int(field.start)..<Int(field.end)]
            let isQuoted = field.start > 0 && bytes[Int(field.start) - 1] == self.quote
            while isQuoted, let quote = rest.firstIndex(of: self.quote) {
                plain.append(contentsOf: rest[...quote])
                rest = rest[(quote + 1)...].dropFirst()
            }
            plain.append(contentsOf: rest)
            places.append(CSVRow.Field(start: start, end: UInt32(truncatingIfNeeded: plain.count)))
        }
        return try plain.withUnsafeBufferPointer { plain throws(FormatFailure) in
            let plain = UnsafeRawBufferPointer(plain)
            try check(plain)
            return CSVRow(plain, places, header)
        }
    }

    /// Throws if the text is not UTF-8. ASCII is found without `String(validating:as:)`, which looks up a generic type in
    /// each call. This takes longer than the check itself.
    private func check(_ text: UnsafeRawBufferPointer) throws(FormatFailure) {
        guard text.reduce(0, |) >= 0x80, String(validating: text, as: UTF8.self) == nil else { return }
        throw FormatFailure.csv(.encoding, line: line, "it is not valid UTF-8")
    }

    private static func count(_ fields: Int) -> String { fields == 1 ? "1 field" : "\(fields) fields" }

    private static func lineEnds(in bytes: UnsafeRawBufferPointer) -> Int {
        var (count, last) = (0, UInt8(0))
        for byte in bytes {
            if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r") { count += 1 }
            last = byte
        }
        return count
    }

    /// The position of the next delimiter, CR or LF; the number of bytes if there is none.
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int, _ delimiter: UInt8) -> Int {
        var position = start
        let ones: UInt64 = 0x0101_0101_0101_0101
        let delimiters = ones &* UInt64(delimiter)
        let (returns, lineFeeds) = (ones &* 0x0D, ones &* 0x0A)
        while bytes.count &- position >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Sets the highest bit of each byte that equals the delimiter, CR or LF. The subtraction borrows from the
            // next byte, so bits above the lowest set bit can be wrong, and only the lowest one is used.
            let found =
                (zeros(word ^ delimiters) | zeros(word ^ returns) | zeros(word ^ lineFeeds)) & (ones &* 0x80)
            if found != 0 { return position &+ found.trailingZeroBitCount / 8 }
            position &+= 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            position &+= 1
        }
        return position
    }

    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
}
