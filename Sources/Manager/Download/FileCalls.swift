import PatchbayPlatform

/// The system calls on the file of a download, so that a test can make each of them fail.
struct FileCalls: Sendable {
    /// Opens a new file in a folder, readable and writable by its owner alone.
    var create: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Opens a file that is there, for appending, and not what a symbolic link leads to.
    var open: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Locks an open file, unless it is locked by another opening of it, in this process or another.
    var lock: @Sendable (_ file: Int32) -> Int32
    var read: @Sendable (_ file: Int32, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    var write: @Sendable (_ file: Int32, UnsafeRawBufferPointer) -> Int
    var truncate: @Sendable (_ file: Int32, _ length: Int) -> Int32
    var sync: @Sendable (_ file: Int32) -> Int32
    /// The mode that files of this process do not get; nil where the system does not say.
    var umask: @Sendable () -> mode_t?
    var setMode: @Sendable (_ file: Int32, mode_t) -> Int32
    /// Gives an open file another name, which must be free.
    var link: @Sendable (_ file: Int32, _ folder: Int32, _ name: String) -> Int32
    /// Gives a file another name, in place of a file of that name.
    var rename: @Sendable (_ folder: Int32, _ from: String, _ to: String) -> Int32
    /// Gives a file another name, which must be free.
    var renameToFree: @Sendable (_ folder: Int32, _ from: String, _ to: String) -> Int32
    var remove: @Sendable (_ folder: Int32, _ name: String) -> Int32

    static let system = FileCalls(
        create: { folder, name in
            openat(folder, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        },
        open: { folder, name in
            // Without waiting, where it is a pipe by now.
            openat(folder, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        },
        lock: { flock($0, LOCK_EX | LOCK_NB) },
        read: { pread($0, $1.baseAddress, $1.count, off_t($2)) },
        write: { SystemCall.writeOnce($0, $1) },
        truncate: { ftruncate($0, off_t($1)) },
        sync: { fsync($0) },
        umask: { SystemCall.umask },
        setMode: { fchmod($0, $1) },
        link: { SystemCall.link($0, $1, $2) },
        rename: { renameat($0, $1, $0, $2) },
        renameToFree: { SystemCall.renameToFree($0, $1, $2) },
        remove: { unlinkat($0, $1, 0) })
}
