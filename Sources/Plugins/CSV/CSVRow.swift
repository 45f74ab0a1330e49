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
    /// - Parameter names: what the fields are called, in the same order; nil where there is no header row.
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
