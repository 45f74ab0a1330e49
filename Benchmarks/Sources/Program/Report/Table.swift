import Foundation

/// The rows as a table of Markdown, which reads as well in a terminal.
struct Table: CustomStringConvertible {
    let rows: [Row]

    var description: String {
        let head = ["what", "against", "ours", "theirs", "unit", "ratio", "figure to reach"]
        let cells = [head] + rows.map(cells)
        let widths = head.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        let isNumber = [false, false, true, true, false, true, true]
        func line(_ row: [String]) -> String {
            let padded = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return isNumber[column] ? space + text : text + space
            }
            return "| \(padded.joined(separator: " | ")) |"
        }
        let rule = head.indices.map { column in
            isNumber[column]
                ? String(repeating: "-", count: widths[column] + 1) + ":"
                : String(repeating: "-", count: widths[column] + 2)
        }
        let lines = [line(cells[0]), "|\(rule.joined(separator: "|"))|"] + cells.dropFirst().map(line)
        return lines.joined(separator: "\n")
    }

    private func cells(_ row: Row) -> [String] {
        let goal = row.goal == 0 ? "–" : "\(row.isMissed ? "missed: " : "")≥ \(Self.short(row.goal))"
        return [
            row.row, row.against, Self.short(row.ours), Self.short(row.theirs), row.unit, Self.short(row.ratio) + "×",
            goal,
        ]
    }

    /// Three digits that count.
    private static func short(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return "\(value)" }
        if abs(value) >= 100 { return String(Int(value.rounded())) }
        let text = String(format: abs(value) >= 10 ? "%.1f" : "%.2f", value)
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }
}
