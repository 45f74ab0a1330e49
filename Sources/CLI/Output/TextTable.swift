/// Rows of text below a heading, in columns.
struct TextTable: CustomStringConvertible {
    private var rows: [[String]]
    private let widest: Int
    /// The names of the columns that can be dropped where there is no room, the least important one first.
    private let droppable: [String]

    /// - Parameters:
    ///   - widest: without a width, longer cells are cut to this number of characters and end with `…`.
    ///   - droppable: the columns to drop from a narrow table, the least important one first.
    init(_ heading: String..., widest: Int = 60, droppable: [String] = []) {
        rows = [heading]
        self.widest = widest
        self.droppable = droppable
    }

    /// Adds a row. Characters that would break the line or move the cursor are escaped.
    mutating func add(_ cells: String...) { rows.append(cells.map(TerminalText.line)) }

    /// The table for output that no width limits.
    var description: String {
        Self.lines(
            rows.map { row in row.map { $0.count > widest ? $0.prefix(widest - 1) + "…" : $0 } }
        ).joined(separator: "\n")
    }

    /// The table for a terminal: columns are dropped until the others fit, and long cells are wrapped at words.
    /// - Parameter style: the colours of a line of the heading, and nothing else.
    func fitted(to width: Int?, heading style: (String) -> String = { $0 }) -> String {
        guard let width else {
            var lines = description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if let first = lines.first { lines[0] = style(first) }
            return lines.joined(separator: "\n")
        }
        var rows = rows
        for name in droppable where Self.widths(rows, leastOnly: true).total > width {
            guard let column = rows[0].firstIndex(of: name) else { continue }
            rows = rows.map { row in Array(row[..<column] + row[(column + 1)...]) }
        }
        let widths = Self.shrunk(rows, to: width)
        let lines = rows.map { row in Self.wrapped(row, widths) }
        return (lines[0].map(style) + lines.dropFirst().joined()).joined(separator: "\n")
    }

    /// The width of each column, and of the table. A column is at least as wide as its heading and, up to 24
    /// characters, as its longest word.
    private static func widths(_ rows: [[String]], leastOnly: Bool) -> (columns: [Int], total: Int) {
        let columns = (0..<(rows.first?.count ?? 0)).map { column in
            rows.map { row -> Int in
                guard leastOnly else { return row[column].count }
                let longest = row[column].split(separator: " ").map(\.count).max() ?? 0
                return min(longest, 24)
            }.max() ?? 0
        }
        return (columns, columns.reduce(0, +) + 2 * max(0, columns.count - 1))
    }

    /// The widths of the columns in a table of this width: the widest columns give way first.
    private static func shrunk(_ rows: [[String]], to width: Int) -> [Int] {
        var (widths, total) = widths(rows, leastOnly: false)
        let least = Self.widths(rows, leastOnly: true).columns
        while total > width {
            let wide = widths.indices.filter { widths[$0] > least[$0] }
            guard let column = wide.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[column] -= 1
            total -= 1
        }
        return widths
    }

    private static func wrapped(_ row: [String], _ widths: [Int]) -> [String] {
        let cells = zip(row, widths).map { Words.lines($0, width: $1) }
        let height = cells.map(\.count).max() ?? 1
        return lines(
            (0..<height).map { line in cells.map { line < $0.count ? $0[line] : "" } }, widths)
    }

    private static func lines(_ rows: [[String]], _ widths: [Int]? = nil) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths =
            widths
            ?? (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
            return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// Text in lines of a width.
enum Words {
    /// The lines of a text, broken at spaces. A word that is longer than a line is broken where the line ends.
    static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for part in text.split(separator: " ") {
            var word = String(part)
            if !line.isEmpty, line.count + 1 + word.count <= width {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while word.count > max(1, width) {
                lines.append(String(word.prefix(max(1, width))))
                word = String(word.dropFirst(max(1, width)))
            }
            line = word
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }
}
