import PatchbayPlatform

enum InputFile {
    /// Reads at most `limit` bytes and one more; the extra byte tells the caller that the limit is exceeded.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(path) { piece in
            let room = limit - bytes.count
            bytes += piece.count > room ? piece.prefix(room + 1) : piece
            return bytes.count <= limit
        }
        return bytes
    }

    /// Passes the file piece by piece to `take`, to its end or until `take` returns false.
    static func read(
        _ path: String, _ take: (ArraySlice<UInt8>) throws(CommandFailure) -> Bool
    ) throws(CommandFailure) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { SystemCall.read(descriptor, $0) }
            guard count >= 0 else { throw unreadable(path, errno) }
            guard count > 0, try take(chunk[..<count]) else { return }
        }
    }

    /// Whether standard input is a pipe that has bytes, or a file that is not empty.
    static var isWaiting: Bool {
        var (status, input) = (stat(), pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0))
        guard fstat(STDIN_FILENO, &status) == 0, poll(&input, 1, 0) == 1, input.revents & Int16(POLLIN) != 0 else {
            return false
        }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// Whether the path leads to a pipe, such as `/dev/fd/63` of a shell's `<(…)`.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// The URL of a regular file that can be read, for a body that is read while it is sent.
    static func regular(_ path: String, hint: String = "; - is standard input") throws(CommandFailure) -> URL {
        guard access(path, R_OK) == 0 else { throw unreadable(path, errno) }
        guard FileVersion(path)?.isRegular == true else {
            throw CommandFailure(.file, "\(subject(path)) is not a regular file\(hint)")
        }
        return .file(at: path)
    }

    /// The path of a regular file that has text in PEM (RFC 7468) in its first MiB.
    static func pem(_ path: String) throws(CommandFailure) -> String {
        _ = try regular(path, hint: "")
        guard String(decoding: try read(path, limit: 1 << 20), as: UTF8.self).contains("-----BEGIN ") else {
            throw CommandFailure(.file, "\(subject(path)) is not PEM: it has no line -----BEGIN …-----")
        }
        return path
    }

    /// Reads a file for which a call waits: a signal ends the program at once.
    static func readWaiting(_ path: String, limit: Int) async throws(CommandFailure) -> [UInt8] {
        try await Interruption.endingAtOnce { () throws(CommandFailure) in try read(path, limit: limit) }
    }

    /// The text of a file that has one line, such as a token. Errors show none of it.
    static func line(at path: String) throws(CommandFailure) -> String {
        try line(read(path, limit: longestLine), of: subject(path))
    }

    /// The text of bytes that are one line, without the line end. Errors show none of it.
    static func line(_ bytes: [UInt8], of subject: String) throws(CommandFailure) -> String {
        // Other bytes than UTF-8 are not visible.
        var text = String(validating: bytes, as: UTF8.self) ?? "\0"
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw CommandFailure(.file, "\(subject) is empty") }
        // A byte order mark would be sent, too.
        guard !text.unicodeScalars.contains(where: \.isInvisible), bytes.count <= longestLine else {
            throw CommandFailure(.file, "\(subject) is not one line of visible text in UTF-8, of at most 64 KiB")
        }
        return text
    }

    static let longestLine = 1 << 16

    static func subject(_ path: String) -> String {
        path == "-" ? "standard input" : path.isEmpty ? "''" : TerminalText.line(path)
    }

    private static func unreadable(_ path: String, _ reason: Int32) -> CommandFailure {
        CommandFailure(.file, "\(subject(path)) cannot be read: \(SystemError.words(reason))")
    }
}
