import PatchbayJSON

/// What a type is decoded from: a row, one of its fields, or nothing.
enum CSVNode {
    case row(CSVRow)
    case field(String)
    case nothing
}

extension CSVNode: DecodingNode {
    static var absent: CSVNode? { nil }
    static var null: CSVNode { .nothing }

    var isNull: Bool {
        switch self {
        case .row: false
        case .field(let text): text.isEmpty
        case .nothing: true
        }
    }

    func isNil(as type: any Decodable.Type) -> Bool { isNull }

    func members() throws(DecodingRefusal) -> CSVMembers {
        guard case .row(let row) = self else { throw .mismatch(found: "a field") }
        guard let header = row.header else { throw .mismatch(found: "a row without a header") }
        return CSVMembers(row: row, header: header)
    }

    func elements() throws(DecodingRefusal) -> [CSVNode] {
        guard case .row(let row) = self else { throw .mismatch(found: "a field") }
        return row.map { .field($0) }
    }

    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value? {
        guard case .field(let text) = self else {
            if case .row(let row) = self, let value = Self.whole(row, type) { return value }
            guard type is any TextScalar.Type else { return nil }
            // It would ask for itself over and over.
            throw isNull ? .null : .mismatch(found: "a row")
        }
        if type == JSON.self { return (text.isEmpty ? JSON.null : ScalarText.json(text)) as? Value }
        guard let scalar = type as? any TextScalar.Type else { return nil }
        guard let value = scalar.read(text) as? Value else {
            throw .mismatch(found: text.isEmpty ? "an empty field" : "other text")
        }
        return value
    }

    /// The types that are as a row is, without a decoder for each field.
    private static func whole<Value>(_ row: CSVRow, _ type: Value.Type) -> Value? {
        if type == [String].self { return row.fields as? Value }
        if type == [String: String].self, row.header != nil { return row.dictionary as? Value }
        return nil
    }
}

/// The fields of a row by the names of the columns.
struct CSVMembers: DecodingMembers {
    let row: CSVRow
    let header: CSVRow.Header

    var keys: [String] {
        header.names.indices.compactMap { header.positions[header.names[$0]] == $0 ? header.names[$0] : nil }
    }

    func member(_ key: String) -> CSVNode? { row[key].map { .field($0) } }
}
