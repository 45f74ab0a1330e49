/// Rows of text under a heading, in columns of one width each.
struct TextTable: CustomStringConvertible {
    private var rows: [[String]]
    private let widest: Int

    /// - Parameter widest: cells longer than so many characters are cut and end with `…`.
    init(_ heading: String..., widest: Int = 60) {
        rows = [heading]
        self.widest = widest
    }

    /// Adds a row; what would break the line or move the cursor is spelled out.
    mutating func add(_ cells: String...) {
        rows.append(
            cells.map { cell in
                let line = TerminalText.line(cell)
                return line.count > widest ? line.prefix(widest - 1) + "…" : line
            })
    }

    var description: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
