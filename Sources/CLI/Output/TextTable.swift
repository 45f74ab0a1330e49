/// Rows of text below a heading, in columns.
struct TextTable {
    private var rows: [[String]]
    /// The names of the columns that can be dropped where there is no room, the least important one first.
    private let droppable: [String]

    /// - Parameter droppable: the columns to drop from a narrow table, the least important one first.
    init(_ heading: String..., droppable: [String] = []) {
        rows = [heading]
        self.droppable = droppable
    }

    /// Adds a row. Characters that would break the line or move the cursor are escaped.
    mutating func add(_ cells: String...) { add(cells) }

    mutating func add(_ cells: [String]) { rows.append(cells.map(TerminalText.line)) }

    /// The table for a terminal: columns are dropped until the others have room, and long cells are wrapped, to at most
    /// `mostLines` lines. Without a width, cells longer than `widest` are cut, and end with `…`.
    /// - Parameter style: the colours of a line of the heading, and nothing else.
    func fitted(to width: Int?, heading style: (String) -> String = { $0 }) -> String {
        guard let width else {
            let cut = rows.map { row in row.map { $0.count > Self.widest ? $0.prefix(Self.widest - 1) + "…" : $0 } }
            let lines = Self.lines(cut, Self.widths(cut))
            return ([style(lines[0])] + lines.dropFirst()).joined(separator: "\n")
        }
        var rows = rows
        for name in droppable where Self.total(Self.widths(rows).map { min($0, Self.roomy) }) > width {
            guard let column = rows[0].firstIndex(of: name) else { continue }
            rows = rows.map { row in Array(row[..<column] + row[(column + 1)...]) }
        }
        let widths = Self.shrunk(Self.widths(rows), to: width)
        let lines = rows.map { row in Self.wrapped(row, widths) }
        return (lines[0].map(style) + lines.dropFirst().joined()).joined(separator: "\n")
    }

    /// The width with which a column of long cells can be read.
    private static let roomy = 34
    private static let mostLines = 12
    private static let widest = 60

    private static func widths(_ rows: [[String]]) -> [Int] {
        rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * max(0, widths.count - 1) }

    /// The widths of the columns in a table of this width: the widest columns give way first.
    private static func shrunk(_ widths: [Int], to width: Int) -> [Int] {
        var widths = widths
        while total(widths) > width, let widest = widths.max(), widest > 8, let column = widths.lastIndex(of: widest) {
            widths[column] -= 1
        }
        return widths
    }

    private static func wrapped(_ row: [String], _ widths: [Int]) -> [String] {
        let cells = zip(row, widths).map { cell, width in
            var lines = Words.lines(cell, width: width)
            guard lines.count > mostLines else { return lines }
            lines = Array(lines.prefix(mostLines))
            lines[mostLines - 1] = lines[mostLines - 1].prefix(max(0, width - 1)) + "…"
            return lines
        }
        let height = cells.map(\.count).max() ?? 1
        return lines((0..<height).map { line in cells.map { line < $0.count ? $0[line] : "" } }, widths)
    }

    private static func lines(_ rows: [[String]], _ widths: [Int]) -> [String] {
        rows.map { row in
            let line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension String {
    /// The text, with blanks up to the width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Text in lines of a width.
enum Words {
    /// The lines of a text, broken at spaces. A word that is longer than a line is broken after a comma, or else after
    /// another mark.
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
                var head = word.prefix(max(1, width))
                let end = head.lastIndex(of: ",") ?? head.dropLast().lastIndex { !$0.isLetter && !$0.isNumber }
                if let end { head = head[...end] }
                lines.append(String(head))
                word.removeFirst(head.count)
            }
            line = word
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }
}
