import PatchbayJSON
import PatchbayPlatform
package import PatchbayRegistry

/// Reads and writes comma-separated values (RFC 4180), `text/csv`, one row at a time: as `CSVRow`, or as any
/// `Decodable`.
///
/// The charset is that of the byte order mark, else `charsetOverride`, else that of Content-Type, else `charset`. The
/// first row is a header row if the `header` parameter of Content-Type is `present`, and is not if it is `absent` (RFC
/// 4180, section 3); otherwise `hasHeader` decides. A row with another number of fields than the header row is an
/// error. An empty line is not a row, unless rows have one field.
///
/// If a row has a header, a type with keys is decoded by the names of the columns, and a dictionary contains all
/// columns. An array contains the fields in order, with or without a header. An empty field is nil, or the empty text
/// if a `String` is required. For every type except `String`, white space around a field is ignored: a `Bool` is
/// `true`, `True`, `TRUE` or `1`, or `false`, `False`, `FALSE` or `0`, numbers are decimal, `Data` is Base64, a `Date`
/// is `2001-01-01T00:00:00Z`, with or without a fraction. As `JSON`, an empty field is null, and text that is a number,
/// `true` or `false` in JSON is that value. Every other field is a string.
package struct CSVRowsSerializer: StreamingSerializer, ElementDecodingSerializer, NeverDecliningSerializer {
    /// The character between two fields: an ASCII character that is neither the quote nor a line end.
    package let delimiter: Unicode.Scalar
    /// The ASCII character around a field that contains a delimiter, a line end or a quote. A quote in the field is
    /// doubled.
    package let quote: Unicode.Scalar
    /// Whether the first row is a header row, if the Content-Type of the response has no `header` parameter.
    package let hasHeader: Bool
    /// The charset if the response names none, as a label of the WHATWG Encoding standard.
    package let charset: String
    /// The charset that replaces the charset of the response, as such a label; nil uses the charset of the response.
    package let charsetOverride: String?
    /// How to handle a row that is malformed, or that can't be decoded as the requested type. The header row, a row that is
    /// too long, a quote that is never closed, and text that is malformed in another charset than UTF-8 are always errors.
    package let badRows: BadElements
    /// The column names of a table to write, without repetition; nil uses the names of its rows.
    package let columns: [String]?

    /// - Precondition: `delimiter` and `quote` are two different ASCII characters, neither of them a line end.
    package init(
        delimiter: Unicode.Scalar = ",", quote: Unicode.Scalar = "\"", hasHeader: Bool = true,
        charset: String = "utf-8", charsetOverride: String? = nil, badRows: BadElements = .error,
        columns: [String]? = nil
    ) {
        precondition(
            Self.fault(delimiter: delimiter, quote: quote) == nil, "delimiter and quote are two characters of ASCII")
        self.delimiter = delimiter
        self.quote = quote
        self.hasHeader = hasHeader
        self.charset = charset
        self.charsetOverride = charsetOverride
        self.badRows = badRows
        self.columns = columns
    }

    /// A table without rows can be an empty body.
    package var acceptsEmptyBody: Bool { true }

    package func makeParser(_ head: ResponseHead, maximumElementBytes: Int) -> CSVParser<CSVRow> {
        parser(head, maximumElementBytes) { row, _ in row }
    }

    package func makeParser<Value: Decodable & Sendable>(
        of type: Value.Type, _ head: ResponseHead, maximumElementBytes: Int
    ) -> any ElementParser<Value> {
        parser(head, maximumElementBytes) { row, line in
            do {
                return try NodeDecoder(CSVNode.row(row)).decode(type)
            } catch {
                throw FormatFailure.csv(
                    .element, line: line, FailureReason(error).description, cause: FormatFailure.published(error))
            }
        }
    }

    private func parser<Element>(
        _ head: ResponseHead, _ maximumElementBytes: Int,
        _ make: @escaping @Sendable (consuming CSVRow, Int) throws -> Element
    ) -> CSVParser<Element> {
        let limit = ElementLimit(CSVRowReader.maximumRowBytes, of: "any row", cappedBy: max(maximumElementBytes, 0))
        return CSVParser(
            TextPieces(head.contentType, defaultCharset: charset, charsetOverride: charsetOverride, maximumLine: limit),
            CSVRowReader(self, hasHeader: hasHeader(head.mediaType), limit), badRows, make)
    }

    /// Whether the first row of a body of this type is a header row.
    func hasHeader(_ type: MediaType?) -> Bool {
        switch type?[parameter: "header"].map(FieldByte.lowercased) {
        case "present": true
        case "absent": false
        default: hasHeader
        }
    }

    /// The error of an unsuitable delimiter or quote, with the name of its option; nil if both are suitable.
    static func fault(delimiter: Unicode.Scalar, quote: Unicode.Scalar) -> OptionFailure? {
        for (key, character) in [("delimiter", delimiter), ("quote", quote)] {
            guard character.isASCII, character != "\r", character != "\n", character != "\0" else {
                return OptionFailure(key, "must be one character of ASCII, and no line end")
            }
        }
        return delimiter == quote ? OptionFailure("quote", "must be another character than the delimiter") : nil
    }
}

struct CSVRowsOptions: Decodable, Sendable {
    var delimiter: String?
    var quote: String?
    var header: Bool?
    var charset: String?
    var charsetOverride: String?
    var badRows: Choice<BadElements>?
    var columns: [String]?

    func serializer() throws -> CSVRowsSerializer {
        let delimiter = try character("delimiter", delimiter) ?? ","
        let quote = try character("quote", quote) ?? "\""
        if let fault = CSVRowsSerializer.fault(delimiter: delimiter, quote: quote) { throw fault }
        try OptionFailure.check("charset", charset: charset)
        try OptionFailure.check("charsetOverride", charset: charsetOverride)
        if let columns, columns.isEmpty || Set(columns).count < columns.count {
            throw OptionFailure("columns", "must have at least one name, and no name twice")
        }
        return CSVRowsSerializer(
            delimiter: delimiter, quote: quote, hasHeader: header ?? true, charset: charset ?? "utf-8",
            charsetOverride: charsetOverride, badRows: badRows?.value ?? .error, columns: columns)
    }

    private func character(_ key: String, _ text: String?) throws -> Unicode.Scalar? {
        guard let text else { return nil }
        guard text.unicodeScalars.count == 1 else {
            throw OptionFailure(key, "must be one character of ASCII, and no line end")
        }
        return text.unicodeScalars.first
    }
}

/// Finds the rows of one body in any charset, and makes an element from each.
package struct CSVParser<Element: Sendable>: CountingElementParser {
    private var text: TextPieces
    private var rows: CSVRowReader
    /// Makes the element of a row; nil if the row is skipped.
    private let make: @Sendable (consuming CSVRow, Int) throws -> Element?
    /// The number of rows from which no element was made.
    private var unmade = 0
    package var listSize: ListSize?

    package var skippedElements: Int { rows.skipped + unmade }

    init(
        _ text: TextPieces, _ rows: CSVRowReader, _ badRows: BadElements,
        _ make: @escaping @Sendable (consuming CSVRow, Int) throws -> Element
    ) {
        self.text = text
        self.rows = rows
        self.make = { row, line in
            do { return try make(row, line) } catch {
                try Interruption.check()
                guard badRows == .skip else { throw error }
                return nil
            }
        }
    }

    /// - Throws: `FormatFailure`; `ElementLimitFailure` for a row that is too long; `TextDecodingFailure` if the charset
    ///   is unknown.
    package mutating func parse(_ bytes: Span<UInt8>, emit: (Element) throws -> Void) throws {
        try bytes.withUnsafeBytes { try read($0, emit) }
    }

    package mutating func finish(emit: (Element) throws -> Void) throws { try read(nil, emit) }

    /// Reads the next piece of the body; nil is its end.
    private mutating func read(_ piece: UnsafeRawBufferPointer?, _ emit: (Element) throws -> Void) throws {
        let (make, listSize) = (make, listSize)
        var unmade = 0
        defer { self.unmade += unmade }
        func emitMade(_ row: consuming CSVRow, _ line: Int) throws {
            try listSize?.add(row.parsedBytes)
            if let element = try make(row, line) { try emit(element) } else { unmade += 1 }
        }
        do {
            if let piece { return try text.read(piece, &rows) { try $0.read($1, emitMade) } }
            try text.finish(&rows) { try $0.read($1, emitMade) }
            try rows.finish(emitMade)
        } catch {
            throw placed(error)
        }
    }

    /// Gives an error of malformed text the line, as for UTF-8, and names the delimiter that the table seems to have.
    private func placed(_ error: any Error) -> any Error {
        if let failure = error as? TextDecodingFailure, case .malformed = failure.reason {
            return FormatFailure.csv(.encoding, line: rows.line, "it is not valid \(failure.charset)")
        }
        guard let failure = error as? FormatFailure, failure.format == "csv", failure.code == .element,
            let line = failure.line
        else { return error }
        return FormatFailure.csv(.element, line: line, failure.reason + rows.delimiterAdvice, cause: failure.cause)
    }
}

extension FormatFailure {
    /// - Parameters:
    ///   - reason: the reason in plain words, without any of the content.
    ///   - line: the line of the body on which the row begins, counted from 1.
    static func csv(_ code: Code, line: Int, _ reason: String, cause: (any Error)? = nil) -> FormatFailure {
        FormatFailure(
            "csv", code, reason, line: line, cause: cause, sentence: "the CSV was refused at line \(line): \(reason)")
    }
}
