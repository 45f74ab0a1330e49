import PatchbayPlatform

enum OutputFile {
    /// Writes the text to a new file. Returns false if the name exists, even as a link to nothing. A file that cannot
    /// be written completely is removed.
    ///
    /// - Parameter beginning: an existing file that begins with this text is overwritten; nil overwrites no file.
    static func write(
        _ text: String, to path: String, overFilesThatBegin beginning: String? = nil
    ) throws(CommandFailure) -> Bool {
        let replaces = beginning.map { isFile(path, thatBegins: $0) } ?? false
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL), 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw failure(path, errno)
        }
        defer { close(descriptor) }
        let code = Array(text.utf8).withUnsafeBytes { SystemCall.writeAll(descriptor, $0) }
        guard code == 0 else {
            if !replaces { unlink(path) }
            throw failure(path, code)
        }
        return true
    }

    /// Like `write`, but an existing file that must be kept is an error.
    static func writeOrFail(
        _ text: String, to path: String, overFilesThatBegin beginning: String? = nil
    ) throws(CommandFailure) {
        guard try write(text, to: path, overFilesThatBegin: beginning) else {
            throw CommandFailure(.file, "\(path) is there already, and is not written over")
        }
    }

    /// Whether the path leads to a device, such as `/dev/null`, or to an open file, such as `/dev/stdout`: its name must
    /// stay. A named pipe is neither: without a reader, opening it would last for ever.
    static func isDevice(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFCHR || openFile(path) != nil
    }

    /// The number of the open file that a path such as `/dev/stdout` or `/dev/fd/3` names.
    private static func openFile(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        case _ where path.hasPrefix("/dev/fd/"): Int32(path.dropFirst("/dev/fd/".count))
        default: nil
        }
    }

    /// Puts a device in the place of standard output.
    static func takeAsStandardOutput(_ path: String) throws(CommandFailure) {
        // Opened again, a file would be written from its beginning.
        let known = openFile(path)
        let descriptor = known ?? open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0, dup2(descriptor, STDOUT_FILENO) >= 0 else { throw failure(path, errno) }
        if known == nil { close(descriptor) }
    }

    /// The reason that no file can be made or replaced at the path; nil if there is none. For a file that is written
    /// after a request, so that nothing is sent in vain.
    static func obstacle(_ path: String) -> String? {
        if path.isEmpty || path.hasSuffix("/") { return "the name of a file is missing" }
        if let there = FileVersion(path), !there.isRegular {
            return there.isFolder ? "there is a folder of that name" : "what is there is not a plain file"
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if FileVersion(folder)?.isFolder == false { return SystemError.words(ENOTDIR) }
        return access(folder, W_OK | X_OK) == 0 ? nil : SystemError.words(errno)
    }

    private static func failure(_ path: String, _ reason: Int32) -> CommandFailure {
        CommandFailure(.file, "\(path) cannot be written: \(SystemError.words(reason))")
    }

    private static func isFile(_ path: String, thatBegins beginning: String) -> Bool {
        guard case .bytes(let bytes) = FileReading.of(path, upTo: beginning.utf8.count) else { return false }
        return bytes.starts(with: beginning.utf8)
    }
}
