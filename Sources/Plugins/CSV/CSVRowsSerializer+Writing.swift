import PatchbayJSON
package import PatchbayPlatform
package import PatchbayRegistry

/// Writes tables (RFC 4180), in UTF-8 and with CR LF after each row.
///
/// A row is a `CSVRow`, an array of fields, or a value with named fields, such as a struct or a dictionary. Fields
/// without names are written as they are. The names of named fields are the header row, if the table has one; a field
/// that a row lacks is empty. A table is refused if reading it would give another table: if it has rows of different
/// lengths, or both rows with names and rows without names.
extension CSVRowsSerializer: ElementWritingSerializer {
    /// Writes the rows of an array. The columns are those of the option `columns`, else all names of the rows, in order
    /// of first appearance.
    /// - Throws: `FormatFailure` with the number of the row; `EncodingError` with the path of a number that is not
    ///   finite, or of a date outside the years 1 to 9999; any error that an element throws.
    package func write(_ value: some Encodable, as type: MediaType) throws -> Data {
        try type.requireUTF8("csv")
        var rows: [CSVRecord] = []
        try value.forEachElement { element, position in rows.append(try CSVRecord(element, at: position)) }
        let columns = columns ?? Self.columns(of: rows)
        var bytes: [UInt8] = []
        if let columns, hasHeader(type) { append(columns, to: &bytes) }
        for row in rows {
            guard self.columns != nil || (row.names == nil) == (columns == nil) else {
                throw row.failure("its fields have no names, but other rows have named fields")
            }
            guard columns != nil || row.fields.count == rows[0].fields.count else {
                throw row.failure("it has another number of fields than the first row")
            }
            append(try row.fields(in: columns), to: &bytes)
        }
        return Data(bytes)
    }

    /// Writes one row. Before the first row it writes the header row.
    ///
    /// Rows that are written one by one are not compared with each other. A value with named fields is therefore
    /// refused unless the option `columns` is set, and each `CSVRow` must have the columns of the first row.
    /// - Throws: the errors of `write`.
    package func writeElement(_ value: some Encodable, at position: Int, as type: MediaType) throws -> Data {
        try type.requireUTF8("csv")
        let row = try CSVRecord(value, at: position)
        guard columns != nil || row.names == nil || row.isRow else {
            throw row.failure("elements with named fields need the option columns")
        }
        let columns = columns ?? row.names
        var bytes: [UInt8] = []
        if let columns, position == 0, hasHeader(type) { append(columns, to: &bytes) }
        append(try row.fields(in: columns), to: &bytes)
        return Data(bytes)
    }

    /// All names of the rows without repetition. If all rows have one list of names, it is returned unchanged. Nil if
    /// no row has names.
    private static func columns(of rows: [CSVRecord]) -> [String]? {
        guard let first = rows.lazy.compactMap(\.names).first else { return nil }
        if rows.allSatisfy({ $0.names == first }) { return first }
        var seen: Set<String> = []
        return rows.flatMap { $0.names ?? [] }.filter { seen.insert($0).inserted }
    }

    private func append(_ fields: [String], to bytes: inout [UInt8]) {
        let (delimiter, quote) = (UInt8(truncatingIfNeeded: delimiter.value), UInt8(truncatingIfNeeded: quote.value))
        for (position, field) in fields.enumerated() {
            if position > 0 { bytes.append(delimiter) }
            // Unquoted, a lone empty field would be an empty line, and U+FEFF at the start would be read as a byte
            // order mark.
            let isQuoted =
                (field.isEmpty && fields.count == 1) || field.unicodeScalars.first == "\u{FEFF}"
                || field.utf8.contains { [delimiter, quote, 0x0D, 0x0A].contains($0) }
            guard isQuoted else {
                bytes += field.utf8
                continue
            }
            bytes.append(quote)
            for byte in field.utf8 {
                if byte == quote { bytes.append(quote) }
                bytes.append(byte)
            }
            bytes.append(quote)
        }
        bytes += [0x0D, 0x0A]
    }
}

/// A row to write: its fields as text, and their names, if it has any.
private struct CSVRecord {
    let names: [String]?
    let fields: [String]
    /// Whether the element is a `CSVRow`. The order of its fields is fixed.
    let isRow: Bool
    private let position: Int

    init(_ element: some Encodable, at position: Int) throws {
        self.position = position
        if let row = element as? CSVRow {
            (names, fields, isRow) = (row.names, row.fields, true)
            guard row.count <= row.names?.count ?? row.count else {
                throw Self.failure("it has more fields than names", at: position)
            }
        } else {
            isRow = false
            // Nil members are included, so that the columns of a type don't depend on the value.
            switch try EncodingNode.tree(of: element).content {
            case .array(let values):
                names = nil
                fields = try values.enumerated().map { index, value in
                    try Self.text(of: value, .index(index), in: position)
                }
            case .object(let members, _):
                names = members.map(\.key)
                fields = try members.map { try Self.text(of: $0.node, .name($0.key), in: position) }
            default: throw Self.failure("a row must be an array of fields or have named fields", at: position)
            }
        }
        guard !(names ?? fields).isEmpty else { throw Self.failure("it has no fields", at: position) }
    }

    /// The fields in the order of the columns.
    /// - Parameter columns: nil leaves the order unchanged.
    func fields(in columns: [String]?) throws -> [String] {
        guard let columns else { return fields }
        if names == columns { return fields + Array(repeating: "", count: columns.count - fields.count) }
        guard let names else {
            guard fields.count == columns.count else {
                throw failure("its fields have no names, and there are more or fewer of them than columns")
            }
            return fields
        }
        var values: [String: String] = [:]
        for (index, name) in names.enumerated() {
            guard values[name] == nil else { throw failure("two of its fields have the same name") }
            values[name] = index < fields.count ? fields[index] : ""
        }
        let placed = columns.map { values.removeValue(forKey: $0) ?? "" }
        if let name = values.keys.min() { throw failure("there is no column \(Quoted(name))") }
        return placed
    }

    func failure(_ reason: String) -> FormatFailure { Self.failure(reason, at: position) }

    private static func failure(_ reason: String, at position: Int) -> FormatFailure {
        FormatFailure("csv", .unsupported, reason, element: position + 1)
    }

    /// The text of a field, as the reader decodes it: decimal numbers, `true` and `false`, ISO 8601 dates, Base64, and
    /// an empty text for nil.
    private static func text(of node: EncodingNode, _ field: PathKey, in position: Int) throws -> String {
        func failure(_ value: Any, _ reason: String) -> EncodingError {
            .invalidValue(value, EncodingError.Context(codingPath: [field], debugDescription: reason))
        }
        switch node.content {
        case .null, .absent: return ""
        case .bool(let value): return value.description
        case .int(let value): return value.description
        case .uint(let value): return value.description
        case .digits(let value, let text) where value.isFinite: return text
        case .double(let value), .digits(let value, _):
            guard value.isFinite else { throw failure(value, "The number is not finite.") }
            return value.description
        case .string(let value): return value
        case .date(let value):
            guard let text = value.iso8601 else {
                throw failure(DateWithoutText(value), "ISO 8601 has no date outside the years 1 to 9999.")
            }
            return text
        case .data(let value): return value.base64EncodedString()
        default:
            let name = field.intValue == nil ? "the field \(Quoted(field.stringValue))" : "a field"
            throw self.failure("\(name) is an array or an object", at: position)
        }
    }
}
