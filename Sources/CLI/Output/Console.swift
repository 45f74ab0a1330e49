// Prints values, reports and tables, without any text that could control a terminal.

import Patchbay
import PatchbayPlatform

/// Standard output is for values, standard error for everything else.
struct Console: Sendable {
    /// Whether standard output is a terminal, so that text is escaped.
    let isTerminal: Bool
    /// Whether standard error is a terminal, so that hints and moving lines help.
    var isErrorTerminal = false
    /// Whether lines about what happens are left out.
    var isSilent = false
    /// The name of standard output in errors.
    var outputName = "standard output"
    /// Whether standard output gets colours.
    var isColoured = false
    /// Whether standard error gets colours.
    var isErrorColoured = false
    /// The columns of the terminal; nil for output that is not cut to any width.
    var width: Int?

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    init(_ colour: CommonOptions.Colour = .auto) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        isErrorTerminal = isatty(STDERR_FILENO) == 1
        // NO_COLOR: https://no-color.org. A terminal that is called "dumb" shows no colours.
        let allows = SystemCall.variable("NO_COLOR") == nil && SystemCall.variable("TERM") != "dumb"
        isColoured = colour == .always || colour == .auto && isTerminal && allows
        isErrorColoured = colour == .always || colour == .auto && isErrorTerminal && allows
        width = isTerminal ? Self.columns(STDOUT_FILENO) : nil
    }

    static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return SystemCall.variable("COLUMNS").flatMap { Int($0) }.map { max(20, $0) } ?? 80
    }

    /// Whether standard output is a file or a device such as `/dev/null`, so that what is written there does not stand
    /// between the lines of standard error.
    var isOutOfSight: Bool {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, isatty(STDOUT_FILENO) == 0 else { return false }
        return [S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT)
    }

    /// Whether text is escaped: for a terminal, and for a pipe that gets colours, which probably leads to a terminal.
    private var escapesText: Bool { isTerminal || isColoured }

    /// Prints the program's own text, with a final line feed.
    /// - Parameter colours: adds colours to the text, after it was escaped.
    func print(_ text: String, _ colours: (String) -> String = { $0 }) throws(CommandFailure) {
        var shown = escapesText ? TerminalText.escaped(text) : text
        if isColoured { shown = colours(shown) }
        try write((shown.utf8.last == UInt8(ascii: "\n") ? shown : shown + "\n").utf8)
    }

    /// Prints text that is escaped already, with its colours.
    func print(styled text: String) throws(CommandFailure) { try write(text.utf8) }

    /// Writes text from outside unchanged; on a terminal escaped and with a final line feed. A pipe that gets colours
    /// gets it escaped.
    func print(asItCame text: String) throws(CommandFailure) {
        guard isTerminal else { return try write((escapesText ? TerminalText.escaped(text) : text).utf8) }
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

    /// Copies a file of any length, or standard input if the path is `-`, like `RawCopy`.
    func copy(_ path: String) throws(CommandFailure) {
        var copy = RawCopy(self)
        try InputFile.read(path) { piece throws(CommandFailure) in try copy.take(piece) }
        try copy.finish()
    }

    /// Copies bytes to standard output as they come. On a terminal they are escaped text, and copying ends at the first
    /// bytes that are not text.
    struct RawCopy {
        private let console: Console
        private var text = EscapedPieces()
        private var isText = true

        init(_ console: Console) { self.console = console }

        /// Writes the next bytes. Returns false if no more are wanted.
        mutating func take(_ piece: some Sequence<UInt8>) throws(CommandFailure) -> Bool {
            guard console.isTerminal else {
                try console.write(piece)
                return true
            }
            let shown: String
            (shown, isText) = text.take(piece)
            try console.write(shown.utf8)
            return isText
        }

        mutating func finish() throws(CommandFailure) {
            guard console.isTerminal else { return }
            let (shown, isGood) = text.finish()
            try console.write(shown.utf8)
            if !isText || !isGood { console.note("what follows is not text; -o FILE or a pipe takes it") }
        }
    }

    /// Prints a line on standard error. It is always escaped, because it can quote a server.
    func note(_ text: String) { say(TerminalText.escaped(text) + "\n") }

    /// Prints the faults of a manifest on standard error. A factory without a near name can be one of the user's program.
    func note(_ failure: ManifestFailure) {
        note(failure.description)
        let isForeign = failure.issues.contains { $0.kind == .unknownFactory && $0.suggestion == nil }
        if isForeign { note("  --factory NAME declares a factory that your program registers") }
    }

    /// Prints a line on standard error if a person reads it there.
    func remark(_ text: String) { if isErrorTerminal, !isSilent { note(text) } }

    /// Prints a line on standard error that is already escaped, with its colours.
    func note(styled line: String) { say(line + "\n") }

    /// Writes to standard error what moves the cursor: the line of the progress.
    func say(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { SystemCall.writeAll(STDERR_FILENO, $0) } }

    /// Prints an error as a sentence after the program's name.
    func complain(_ sentence: String) { note("patchbay: " + sentence) }

    fileprivate func write(_ bytes: some Sequence<UInt8>) throws(CommandFailure) {
        let code = Array(bytes).withUnsafeBytes { SystemCall.writeAll(STDOUT_FILENO, $0) }
        guard code == 0 else {
            throw CommandFailure(.file, "\(outputName) cannot be written to: \(SystemError.words(code))")
        }
    }
}
