import PatchbayPlatform

/// Asks for a password on the terminal of the process, which does not show it.
enum PasswordPrompt {
    static func ask(_ question: String) async throws(CommandFailure) -> String {
        let nobody = CommandFailure(
            .usage, "no terminal can ask for the password here; -u NAME:PASSWORD and -u @FILE give it")
        // Not standard input and error, which can be files.
        let terminal = SystemCall.open("/dev/tty", O_RDWR | O_NOCTTY)
        defer { SystemCall.close(terminal) }
        var settings = termios()
        guard terminal >= 0, tcgetattr(terminal, &settings) == 0 else { throw nobody }
        // The threads of Swift block the signals that would stop a job in the background.
        guard tcgetpgrp(terminal) == getpgrp() else { throw nobody }
        let before = settings
        let restore: @Sendable () -> Void = {
            var settings = before
            // Drops a password that was typed halfway: the shell would run and show it.
            tcsetattr(terminal, TCSAFLUSH, &settings)
            write("\n", to: terminal)
        }
        let line = try await Interruption.endingAtOnce(restore) { () throws(CommandFailure) in
            settings.c_lflag &= ~tcflag_t(ECHO)
            // The keys that stop and abort a program get the character of the interrupt key, whose meaning comes first:
            // a program that is stopped cannot restore the echo.
            withUnsafeMutableBytes(of: &settings.c_cc) { keys in
                for key in [VSUSP, VQUIT] { keys[Int(key)] = keys[Int(VINTR)] }
            }
            defer { restore() }
            guard tcsetattr(terminal, TCSAFLUSH, &settings) == 0 else { throw nobody }
            write(TerminalText.line(question), to: terminal)
            var line: [UInt8] = []
            try InputFile.read("/dev/tty") { piece in
                line += piece
                return piece.last != UInt8(ascii: "\n") && line.count <= InputFile.longestLine
            }
            return line
        }
        // A terminal cuts a longer line.
        guard line.count < 4_095 else {
            throw CommandFailure(.usage, "the password is longer than a terminal takes; -u @FILE has room")
        }
        guard !line.isEmpty else { throw CommandFailure(.usage, "no password was typed") }
        return line == [UInt8(ascii: "\n")] ? "" : try InputFile.line(line, of: "the password")
    }

    private static func write(_ text: String, to terminal: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { SystemCall.writeAll(terminal, $0) }
    }
}
