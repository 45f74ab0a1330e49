#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls on the file of a download, so that a test can make each of them fail.
struct FileCalls: Sendable {
    /// Opens a new file in a folder, readable and writable by its owner alone.
    var create: @Sendable (_ folder: Int32, _ name: String) -> Int32
    /// Opens a file that is there, for appending, and not what a symbolic link leads to.
    var open: @Sendable (_ folder: Int32, _ name: String) -> Int32
    var read: @Sendable (_ file: Int32, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    var write: @Sendable (_ file: Int32, UnsafeRawBufferPointer) -> Int
    var truncate: @Sendable (_ file: Int32, _ length: Int) -> Int32
    var sync: @Sendable (_ file: Int32) -> Int32
    /// Gives the file its final name, in place of a file of that name or only where there is none.
    var rename: @Sendable (_ folder: Int32, _ from: String, _ to: String, _ replaces: Bool) -> Int32
    var remove: @Sendable (_ folder: Int32, _ name: String) -> Int32

    static let system = FileCalls(
        create: { folder, name in
            openat(folder, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        },
        open: { folder, name in
            // Without waiting, where it is a pipe by now.
            openat(folder, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        },
        read: { pread($0, $1.baseAddress, $1.count, off_t($2)) },
        write: { file, bytes in
            #if canImport(Glibc)
                Glibc.write(file, bytes.baseAddress, bytes.count)
            #else
                Darwin.write(file, bytes.baseAddress, bytes.count)
            #endif
        },
        truncate: { ftruncate($0, off_t($1)) },
        sync: { fsync($0) },
        rename: { folder, from, to, replaces in
            if replaces { return renameat(folder, from, folder, to) }
            // A second name fails where the name is taken, which renaming does not.
            guard linkat(folder, from, folder, to, 0) == 0 else { return -1 }
            return unlinkat(folder, from, 0)
        },
        remove: { unlinkat($0, $1, 0) })
}
