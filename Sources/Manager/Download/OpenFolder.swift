import PatchbayPlatform

/// The folder of a file. The folder stays open, so that replacing it at its path has no effect.
final class OpenFolder: Sendable {
    let descriptor: Int32

    /// Opens the folder of a file.
    /// - Parameter creates: whether missing folders are created.
    init(of file: URL, creates: Bool) throws(FileFailure) {
        let name = file.lastPathComponent
        // The name is compared as bytes, because a slash with a combining mark is a `Character` of its own. A zero byte
        // would end the name for the system.
        guard file.isFileURL, !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F })
        else {
            throw FileFailure(name: name, .other("the URL names no file"))
        }
        let path = file.deletingLastPathComponent().path(percentEncoded: false)
        if creates {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw FileFailure(name: name, .other("its folder could not be made"))
            }
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(name: name, .system(errno)) }
    }

    deinit { close(descriptor) }

    /// The status of a name in the folder; nil if it does not exist. Symbolic links are not followed.
    func status(of name: String) throws(FileFailure) -> stat? {
        var status = stat()
        if fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        if errno == ENOENT { return nil }
        throw FileFailure(name: name, .system(errno))
    }

    /// Whether the open file has this name.
    func holds(_ file: Int32, under name: String) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, let named = try? self.status(of: name) else { return false }
        return FileIdentity(status).isSameFile(as: FileIdentity(named))
    }

    /// Removes the part files of a file that ended processes left, a day or longer ago.
    ///
    /// A process keeps its part file locked until it is renamed or removed, but has not locked a new one yet. So a part
    /// file that is a day old and can be locked here is not being written. If the file system has no locks, nothing is
    /// removed.
    func removeAbandonedParts(of name: String, _ calls: FileCalls) {
        var parts: [String] = []
        // The download waits for this. Reading 10,000 names takes 4 ms; further names are ignored.
        readNames(atMost: 10_000, calls) { bytes in
            if PartName.isOpen(bytes, of: name) { parts.append(String(decoding: bytes, as: UTF8.self)) }
        }
        removeParts(parts, writtenBefore: time(nil) - 86_400, calls)
    }

    /// Removes the part files that were not written to since a time, and that can be locked.
    func removeParts(_ parts: [String], writtenBefore time: time_t, _ calls: FileCalls) {
        for part in parts {
            // Only plain files are opened: opening a device can have effects.
            guard let status = try? status(of: part), status.st_mode & S_IFMT == S_IFREG,
                status.lastWritten.tv_sec < time
            else { continue }
            let file = calls.open(descriptor, part)
            guard file >= 0 else { continue }
            if calls.lock(file) == 0 { _ = calls.remove(descriptor, part) }
            _ = PartialFile.close(file)
        }
    }

    /// Calls `visit` with the names in the folder, until there were so many. Returns false if the folder can't be read.
    @discardableResult
    func readNames(atMost limit: Int, _ calls: FileCalls, _ visit: (UnsafeRawBufferPointer.SubSequence) -> Void) -> Bool
    {
        // Opens another descriptor, because reading a folder moves the position of its descriptor.
        let reader = calls.openFile(descriptor, ".", O_RDONLY | O_DIRECTORY)
        guard reader >= 0 else { return false }
        guard let stream = fdopendir(reader) else {
            _ = PartialFile.close(reader)
            return false
        }
        defer { closedir(stream) }
        for _ in 0..<limit {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 }
            withUnsafeBytes(of: &entry.pointee.d_name) { visit($0.prefix { $0 != 0 }) }
        }
        return true
    }

    /// Throws if a file can't get the name, for example because the name is too long. Called before the transfer.
    func checkIsFree(_ name: String, replaces: Bool) throws(FileFailure) {
        guard let status = try status(of: name) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG where replaces: return
        case S_IFREG: throw FileFailure(name: name, .system(EEXIST))
        case S_IFDIR: throw FileFailure(name: name, .other("there is a folder of that name"))
        case S_IFLNK: throw FileFailure(name: name, .other("there is a symbolic link of that name"))
        default: throw FileFailure(name: name, .other("what is there is not a plain file"))
        }
    }
}

/// The system calls for the file of a download, replaceable in tests.
struct FileCalls: Sendable {
    /// Creates a file in a folder, readable and writable by its owner alone.
    var create: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Opens an existing file for appending, without following a symbolic link.
    var open: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Locks an open file, unless another descriptor holds the lock, in this process or another.
    var lock: @Sendable (_ file: Int32) -> Int32
    var read: @Sendable (_ file: Int32, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    var write: @Sendable (_ file: Int32, UnsafeRawBufferPointer) -> Int
    var truncate: @Sendable (_ file: Int32, _ length: Int) -> Int32
    var sync: @Sendable (_ file: Int32) -> Int32
    /// The mode of a plain new file in a folder; nil if it is unknown. The name is free, and free again afterwards.
    var plainMode: @Sendable (_ folder: Int32, _ name: String) -> mode_t?
    var setMode: @Sendable (_ file: Int32, mode_t) -> Int32
    /// Gives an open file another name, which must not exist yet.
    var link: @Sendable (_ file: Int32, _ folder: Int32, _ name: String) -> Int32
    /// Renames a file, replacing a file of that name.
    var rename: @Sendable (_ folder: Int32, _ from: String, _ to: String) -> Int32
    /// Renames a file to a name that must not exist yet.
    var renameToFree: @Sendable (_ folder: Int32, _ from: String, _ to: String) -> Int32
    var remove: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Opens a file of a cache, without following a symbolic link. Only its owner can read and write a new one.
    var openFile: @Sendable (_ folder: Int32, _ name: String, _ flags: Int32) -> Int32 = { folder, name, flags in
        // O_NONBLOCK, in case the file is a pipe.
        openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(0o600))
    }
    var writeAt: @Sendable (_ file: Int32, UnsafeRawBufferPointer, _ offset: Int) -> Int = {
        pwrite($0, $1.baseAddress, $1.count, off_t($2))
    }

    static let system = FileCalls(
        create: { folder, name in
            openat(folder, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        },
        open: { folder, name in
            // O_NONBLOCK, in case the file is a pipe by now.
            openat(folder, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        },
        lock: { flock($0, LOCK_EX | LOCK_NB) },
        read: { pread($0, $1.baseAddress, $1.count, off_t($2)) },
        write: { SystemCall.writeOnce($0, $1) },
        truncate: { ftruncate($0, off_t($1)) },
        sync: { SystemCall.sync($0) },
        plainMode: { SystemCall.plainMode($0, $1) },
        setMode: { fchmod($0, $1) },
        link: { SystemCall.link($0, $1, $2) },
        rename: { renameat($0, $1, $0, $2) },
        renameToFree: { SystemCall.renameToFree($0, $1, $2) },
        remove: { unlinkat($0, $1, 0) })

    /// The calls that read a file of a cache without ever waiting for a disk. They fail where they would have to wait, and
    /// change nothing.
    static let inMemory = {
        var calls = system
        calls.openFile = { folder, name, _ in SystemCall.openInMemory(folder, name) }
        calls.read = { SystemCall.readInMemory($0, $1, at: $2) }
        calls.remove = { _, _ in -1 }
        return calls
    }()
}
