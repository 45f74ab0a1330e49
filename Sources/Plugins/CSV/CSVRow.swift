import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry

/// One row of comma-separated values: its fields in order and, if there is a header row, by the names in that row.
public struct CSVRow: Sendable {
    /// The position of a field in the text, in bytes.
    struct Field: Sendable {
        var start: UInt32
        var end: UInt32
    }

    /// The column names of a table, and the position of each.
    final class Header: Sendable {
        let names: [String]
        let positions: [String: Int]

        init(_ names: [String]) {
            self.names = names
            positions = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        }
    }

    /// From `start`, the positions of the fields, and then the text of the row as written or, if it has a doubled quote,
    /// its fields one after the other without separators. A field is created on request, so a row takes one block of
    /// memory, however many fields it has. In a long list, many rows share a block.
    let storage: [UInt8]
    private let start: UInt32
    private let fieldCount: UInt32
    let header: Header?

    /// - Parameter text: UTF-8.
    init(_ text: UnsafeRawBufferPointer, _ places: [Field], _ header: Header?) {
        (start, fieldCount) = (0, UInt32(truncatingIfNeeded: places.count))
        self.header = header
        var storage: [UInt8] = []
        storage.reserveCapacity(places.count * MemoryLayout<Field>.stride + text.count)
        places.withUnsafeBytes { storage.append(contentsOf: $0) }
        storage.append(contentsOf: text)
        self.storage = storage
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
        var text = fields.joined()
        self = text.withUTF8 { CSVRow(UnsafeRawBufferPointer($0), places, names.map(Header.init)) }
    }

    /// The names of the header row, in order; nil if there is none.
    public var names: [String]? { header?.names }

    /// The fields, in order.
    public var fields: [String] { Array(self) }

    /// The field with this name; nil if there is none. If two columns have the same name, the field is from the first
    /// one.
    public subscript(name: String) -> String? {
        header?.positions[name].flatMap { indices.contains($0) ? self[$0] : nil }
    }

    /// The fields by name; empty if there is no header row. If columns have the same name, the field is from the first
    /// one.
    public var dictionary: [String: String] {
        guard let header else { return [:] }
        // This keeps the hash table of the positions.
        guard header.names.count > count else { return header.positions.mapValues { self[$0] } }
        return header.positions.compactMapValues { indices.contains($0) ? self[$0] : nil }
    }
}

extension CSVRow: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { Int(fieldCount) }
    public subscript(position: Int) -> String {
        precondition(indices.contains(position), "the row has no field at this position")
        return storage.withUnsafeBufferPointer { bytes in
            let place = place(position, in: bytes)
            let text = bytes[(Int(self.start) + count * Self.stride)...]
            let (start, end) = (text.startIndex + Int(place.start), text.startIndex + Int(place.end))
            return String(decoding: UnsafeBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
        }
    }
}

extension CSVRow: MeasuredElement {
    private static var stride: Int { MemoryLayout<Field>.stride }
    /// Rows of more bytes keep their own blocks.
    private static var packedBytes: Int { 1 << 10 }

    private func place(_ position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Field {
        UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: Int(start) + position * Self.stride, as: Field.self)
    }

    /// The bytes of the positions and of the text.
    package var parsedBytes: Int {
        count * Self.stride + storage.withUnsafeBufferPointer { isEmpty ? 0 : Int(place(count - 1, in: $0).end) }
    }

    /// A row of these bytes of a block.
    private init(_ row: CSVRow, in storage: [UInt8], from start: Int) {
        (self.storage, header, fieldCount) = (storage, row.header, row.fieldCount)
        self.start = UInt32(truncatingIfNeeded: start)
    }

    /// The same rows, the small ones in one block of memory.
    package static func packed(_ rows: [CSVRow]) -> [CSVRow] {
        var storage: [UInt8] = []
        let starts = rows.map { row -> Int? in
            let size = row.parsedBytes
            guard size <= packedBytes else { return nil }
            defer { storage += row.storage[Int(row.start)...].prefix(size) }
            return storage.count
        }
        return zip(rows, starts).map { row, start in start.map { CSVRow(row, in: storage, from: $0) } ?? row }
    }
}

extension CSVRow: Hashable {
    /// Two rows are equal if their names and fields are equal, however they were written.
    public static func == (left: Self, right: Self) -> Bool {
        left.names == right.names && left.count == right.count && left.elementsEqual(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for field in self { hasher.combine(field) }
    }
}

extension CSVRow: Encodable {
    /// With a header row, an object with the fields by name, in the order of the columns. Without one, an array of the
    /// fields. If two columns have the same name, the field is from the first one. A name without a field is left out.
    public func encode(to encoder: any Encoder) throws {
        guard header != nil else {
            var container = encoder.unkeyedContainer()
            for field in self { try container.encode(field) }
            return
        }
        var container = encoder.container(keyedBy: PathKey.self)
        for name in memberKeys {
            try container.encodeIfPresent(self[name], forKey: .name(name))
        }
    }
}

extension CSVRow: CustomStringConvertible, CustomReflectable {
    /// The row as RFC 4180 writes it: `1,"a ""b"", c",`.
    public var description: String {
        map { field in
            guard field.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return field }
            return "\"" + field.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",")
    }
    public var customMirror: Mirror { Mirror(described: self) }
}

/// The source of a decoded value: a row, one of its fields, or nothing.
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

    func members() throws(DecodingRefusal) -> CSVRow {
        guard case .row(let row) = self else { throw .mismatch(found: "a field") }
        guard row.header != nil else { throw .corrupted("its fields have no names, because there is no header row") }
        return row
    }

    func elements() throws(DecodingRefusal) -> [CSVNode] {
        guard case .row(let row) = self else { throw .mismatch(found: "a field") }
        return row.map { .field($0) }
    }

    func scalar<Value: Decodable>(_ type: Value.Type) throws(DecodingRefusal) -> Value? {
        guard case .field(let text) = self else {
            if case .row(let row) = self, let value = Self.whole(row, type) { return value }
            guard type is any TextScalar.Type else { return nil }
            // These types decode themselves by requesting a scalar, so returning nil would recurse without end.
            throw isNull ? .null : .mismatch(found: "a row")
        }
        if type == JSON.self { return (text.isEmpty ? JSON.null : ScalarText.json(text)) as? Value }
        guard let scalar = type as? any TextScalar.Type else { return nil }
        guard let value = scalar.read(type == Bool.self ? Self.boolean(text) : text) as? Value else {
            throw .mismatch(found: text.isEmpty ? "an empty field" : "other text")
        }
        return value
    }

    /// The text of a Boolean, in lower case if a spreadsheet has written it.
    private static func boolean(_ text: String) -> String {
        ["TRUE", "FALSE", "True", "False"].contains(ScalarText.trimmed(text)) ? text.lowercased() : text
    }

    /// The row as `[String]` or `[String: String]`, which need no decoder for each field; nil for other types.
    private static func whole<Value>(_ row: CSVRow, _ type: Value.Type) -> Value? {
        if type == [String].self { return row.fields as? Value }
        if type == [String: String].self, row.header != nil { return row.dictionary as? Value }
        return nil
    }
}

extension CSVRow: DecodingMembers {
    /// The names of the columns, without repetition.
    var memberKeys: [String] {
        guard let header else { return [] }
        return header.names.indices.compactMap {
            header.positions[header.names[$0]] == $0 ? header.names[$0] : nil
        }
    }

    func member(_ key: String) -> CSVNode? { self[key].map { .field($0) } }
}
