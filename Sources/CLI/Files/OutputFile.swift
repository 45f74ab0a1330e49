#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a file so that its name only ever stands for the whole of it.
enum OutputFile {
    /// Writes beside the target under a name of its own, readable by the owner alone, and renames when all is on disk.
    ///
    /// A target that is there and not a plain file (a folder, a symbolic link, a device) is refused, and nothing that the
    /// write began is left behind when it fails.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let (folder, name) = split(path)
        guard !name.isEmpty, name != ".", name != ".." else {
            throw CommandFailure(.file, "\(path) cannot be written: it names no file")
        }
        // Everything from here on is relative to the folder that was opened: swapping the path for another has no effect.
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure(path) }
        defer { close(directory) }
        try refuseSpecial(name, in: directory, path)
        let partial = ".\(name.prefix(100)).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        let file = openat(directory, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard file >= 0 else { throw failure(path) }
        let written = fill(file, with: bytes)
        let reason = errno
        let closed = close(file) == 0
        guard written, closed, renameat(directory, partial, directory, name) == 0 else {
            let cause = written ? errno : reason
            unlinkat(directory, partial, 0)
            throw CommandFailure(.file, "\(path) cannot be written: \(SystemError.words(cause))")
        }
    }

    private static func fill(_ file: Int32, with bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            #else
                let count = rest.withUnsafeBytes { Darwin.write(file, $0.baseAddress, $0.count) }
            #endif
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return fsync(file) == 0
    }

    private static func refuseSpecial(_ name: String, in directory: Int32, _ path: String) throws(CommandFailure) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        let kind: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: kind = "a folder"
        case S_IFLNK: kind = "a symbolic link"
        default: kind = "not a plain file"
        }
        throw CommandFailure(.file, "\(path) cannot be written: it is \(kind)")
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.file, "\(path) cannot be written: \(SystemError.last)")
    }
}
