// Prints values, reports and tables, without any text that could control a terminal.

import PatchbayPlatform

/// Standard output is for values, standard error for everything else.
struct Console: Sendable {
    /// Whether standard output is a terminal, so that text is escaped.
    let isTerminal: Bool

    static let standard = Console(isTerminal: isatty(STDOUT_FILENO) == 1)

    /// Prints the program's own text, with a final line feed.
    func print(_ text: String) throws(CommandFailure) {
        let shown = isTerminal ? TerminalText.escaped(text) : text
        try write((shown.utf8.last == UInt8(ascii: "\n") ? shown : shown + "\n").utf8)
    }

    /// Writes text from outside unchanged; on a terminal escaped and with a final line feed.
    func print(asItCame text: String) throws(CommandFailure) {
        guard isTerminal else { return try write(text.utf8) }
        if !text.isEmpty { try print(text) }
    }

    /// Writes bytes unchanged; on a terminal only text, escaped.
    func print(raw bytes: [UInt8]) throws(CommandFailure) {
        guard isTerminal else { return try write(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return note("\(bytes.count) bytes that are not text; -o FILE or a pipe takes them")
        }
        try print(asItCame: text)
    }

    /// Copies a file of any length, or standard input if the path is `-`. On a terminal the text is escaped, and
    /// copying ends at the first bytes that are not text.
    func copy(_ path: String, removing: Bool = false) throws(CommandFailure) {
        var text = EscapedPieces()
        var isText = true
        try InputFile.read(path, removing: removing) { piece throws(CommandFailure) in
            guard isTerminal else {
                try write(piece)
                return true
            }
            let (shown, isGood) = text.take(piece)
            try write(shown.utf8)
            isText = isGood
            return isGood
        }
        guard isTerminal else { return }
        let (shown, isGood) = text.finish()
        try write(shown.utf8)
        if !isText || !isGood { note("what follows is not text; -o FILE or a pipe takes it") }
    }

    /// Prints a line on standard error. It is always escaped, because it can quote a server.
    func note(_ text: String) {
        var line = Array((TerminalText.escaped(text) + "\n").utf8)[...]
        while !line.isEmpty {
            let written = line.withUnsafeBytes { SystemCall.write(STDERR_FILENO, $0) }
            guard written > 0 else { return }
            line = line.dropFirst(written)
        }
    }

    /// Prints an error as a sentence after the program's name.
    func complain(_ sentence: String) { note("patchbay: " + sentence) }

    private func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { SystemCall.write(STDOUT_FILENO, $0) }
            guard written > 0 else {
                throw CommandFailure(.file, "standard output cannot be written to: \(SystemError.last)")
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// Rows of text below a heading, in columns.
struct TextTable: CustomStringConvertible {
    private var rows: [[String]]
    private let widest: Int

    /// - Parameter widest: longer cells are cut to this number of characters and end with `…`.
    init(_ heading: String..., widest: Int = 60) {
        rows = [heading]
        self.widest = widest
    }

    /// Adds a row. Characters that would break the line or move the cursor are escaped.
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
