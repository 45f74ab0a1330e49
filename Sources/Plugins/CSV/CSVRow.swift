import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// One row of comma-separated values: its fields in their order, and by the names of the header row where there is one.
public struct CSVRow: Sendable {
    /// Where a field is in the text, in bytes.
    struct Field: Sendable {
        var start: UInt32
        var end: UInt32
    }

    /// The names of a table, and where each is.
    final class Header: Sendable {
        let names: [String]
        let positions: [String: Int]

        init(_ names: [String]) {
            self.names = names
            positions = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        }
    }

    /// The row as it was written or, where a quote is doubled in it, the fields without anything between them. A field is made when it
    /// is asked for: two blocks of memory hold a row, however many fields it has.
    private let text: String
    private let places: [Field]
    let header: Header?

    init(_ text: String, _ places: [Field], _ header: Header?) {
        self.text = text
        self.places = places
        self.header = header
    }

    /// A row of these fields.
    /// - Parameters:
    ///   - fields: the fields of the row, in order.
    ///   - names: the names of the fields, in the same order; nil without a header row.
    public init(_ fields: [String], names: [String]? = nil) {
        var places: [Field] = []
        var end: UInt32 = 0
        for field in fields {
            let start = end
            end &+= UInt32(truncatingIfNeeded: field.utf8.count)
            places.append(Field(start: start, end: end))
        }
        self.init(fields.joined(), places, names.map(Header.init))
    }

    /// The names of the header row, in their order; nil where there is none.
    public var names: [String]? { header?.names }

    /// The fields, in their order.
    public var fields: [String] { Array(self) }

    /// The field of this name, or nil where there is none. Where two columns have one name, it is the first.
    public subscript(name: String) -> String? {
        header?.positions[name].flatMap { indices.contains($0) ? self[$0] : nil }
    }

    /// The fields by name; empty where there is no header row. Where two columns have one name, it is the first.
    public var dictionary: [String: String] {
        guard let header else { return [:] }
        return header.positions.compactMapValues { indices.contains($0) ? self[$0] : nil }
    }

    /// The field without a copy, as long as the row is there.
    func slice(_ position: Int) -> Substring {
        let place = places[position]
        let utf8 = text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: Int(place.start))
        return text[start..<utf8.index(start, offsetBy: Int(place.end &- place.start))]
    }
}

extension CSVRow: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { places.count }
    public subscript(position: Int) -> String { String(slice(position)) }
}

extension CSVRow: Hashable {
    /// Whether the names and the fields are the same, however they were written.
    public static func == (left: Self, right: Self) -> Bool {
        left.names == right.names && left.count == right.count
            && left.indices.allSatisfy { left.slice($0) == right.slice($0) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for position in indices { hasher.combine(slice(position)) }
    }
}

extension CSVRow: Encodable {
    /// An object with the fields by the names of the header row, in the order of the columns; an array of the fields where there is no
    /// header row. Where two columns have one name, it is the first. A name without a field is left out.
    public func encode(to encoder: any Encoder) throws {
        guard let header else {
            var container = encoder.unkeyedContainer()
            for field in self { try container.encode(field) }
            return
        }
        var container = encoder.container(keyedBy: PathKey.self)
        for name in CSVMembers(row: self, header: header).keys {
            try container.encodeIfPresent(self[name], forKey: .name(name))
        }
    }
}

extension CSVRow: CustomStringConvertible, CustomReflectable {
    /// The row as RFC 4180 writes it: `1,"a ""b"", c",`.
    public var description: String {
        map { field in
            guard field.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return field }
            return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                + "\""
        }.joined(separator: ",")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

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
