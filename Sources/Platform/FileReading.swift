extension URL {
    /// The URL of a file at a path, whose characters all count. `URL(filePath:)` takes a `~` at the start for the home of a
    /// user, on Linux too, which only the shell of a user may do. So no other code of this package makes a file URL of a
    /// text.
    package static func file(at path: String) -> URL { URL(filePath: path.utf8.first == 0x7E ? "./" + path : path) }
}

/// The result of reading a whole file of a limited size.
package enum FileReading {
    /// The bytes of the file. If the file is larger than the limit, its beginning, with more bytes than the limit.
    case bytes([UInt8])
    /// The file cannot be read, for the reason with this number of a system error.
    case failed(Int32)
    /// The path leads to a pipe, a device or a socket.
    case notRegular

    /// Reads a regular file or a link to a regular file: reading a pipe could block for ever, and a device can have no
    /// end.
    package static func of(_ path: String, upTo limit: Int) -> FileReading { of(path, upTo: limit, isOwn: false) }

    /// Reads a regular file that belongs to this user, and no link: in a folder where other users can make files, theirs
    /// are not read. A file of another user fails with EPERM.
    package static func own(_ path: String, upTo limit: Int) -> FileReading { of(path, upTo: limit, isOwn: true) }

    private static func of(_ path: String, upTo limit: Int, isOwn: Bool) -> FileReading {
        // Without O_NONBLOCK, opening a pipe waits until another process opens it for writing. Without O_NOCTTY, a
        // terminal can become the controlling terminal of this process.
        let file = SystemCall.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (isOwn ? O_NOFOLLOW : 0))
        guard file >= 0 else { return .failed(errno) }
        defer { SystemCall.close(file) }
        // Checks the opened file, because the path can lead to another file now.
        var status = stat()
        guard fstat(file, &status) == 0 else { return .failed(errno) }
        guard !isOwn || status.st_uid == geteuid() else { return .failed(EPERM) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return .failed(EISDIR)
        default: return .notRegular
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { SystemCall.read(file, $0) }
            guard count >= 0 else { return .failed(errno) }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk.prefix(count))
        }
        return .bytes(bytes)
    }
}

/// The file at a path, as the system describes it without opening it.
package struct FileVersion: Sendable, Hashable {
    package let isRegular, isFolder: Bool
    private let device: UInt64
    private let inode: UInt64
    private let bytes: Int
    private let second: Int
    private let nanosecond: Int

    /// Returns nil if nothing is at the path. Follows symbolic links.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        bytes = Int(status.st_size)
        (second, nanosecond) = (status.lastChanged.tv_sec, status.lastChanged.tv_nsec)
    }

    /// Whether the file was last changed at least two seconds before this second. Then a later change has another time;
    /// two changes that follow each other at once can have the same.
    package func isOlder(than second: Int) -> Bool { self.second < second - 1 }

    /// The second of the file system's clock.
    package static var now: Int { time(nil) }
}
