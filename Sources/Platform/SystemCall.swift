// Everything that differs between systems: the names of Foundation and of the C library, system calls, the texts of
// their errors, locks and threads. All other modules import PatchbayPlatform instead.

import CPatchbayFiles

// The C library, under its name on this system.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif

/// System calls under names that no method of a caller shadows, and calls that differ between systems.
package enum SystemCall {
    /// The value of a variable of the environment; nil if it is empty or not there.
    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `open(2)` of an existing file, with O_CLOEXEC: programs that this process starts do not inherit it.
    package static func open(_ path: String, _ flags: Int32) -> Int32 { openFile(path, flags | O_CLOEXEC) }

    /// `open(2)` of a new file for writing, which only this user can read. Fails if a file with this name exists.
    package static func create(_ path: String) -> Int32 { createFile(path) }

    /// `read(2)`, repeated after EINTR.
    package static func read(_ file: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = readBytes(file, target)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// `write(2)`, repeated after EINTR.
    package static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = writeOnce(file, bytes)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// Writes all bytes. Returns 0, or the code of the system's error.
    package static func writeAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(file, UnsafeRawBufferPointer(rebasing: rest))
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// `write(2)`, not repeated.
    package static func writeOnce(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { writeBytes(file, bytes) }

    /// `close(2)`, not repeated after EINTR: the number can already belong to another file.
    @discardableResult
    package static func close(_ file: Int32) -> Int32 { closeFile(file) }

    /// Renames a file in its folder. Fails if a file with the new name exists.
    package static func renameToFree(_ folder: Int32, _ from: String, _ to: String) -> Int32 {
        patchbay_rename_to_free_name(folder, from, to)
    }

    /// Gives an open file a name. Fails if a file with this name exists.
    package static func link(_ file: Int32, _ folder: Int32, _ name: String) -> Int32 {
        #if os(Linux)
            // Links by descriptor: no other file can be linked, even if the old name now leads to another file.
            return linkat(AT_FDCWD, "/proc/self/fd/\(file)", folder, name, AT_SYMLINK_FOLLOW)
        #else
            errno = ENOTSUP
            return -1
        #endif
    }

    /// The permission bits that a folder and this process (umask) give to a new file; nil if no file can be made in the
    /// folder.
    ///
    /// Makes an empty file of the name, which must be free, and removes it. `umask(2)` can only read the bits by changing
    /// them for a moment, and other threads can create files during this moment.
    package static func plainMode(_ folder: Int32, _ name: String) -> mode_t? {
        let file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o666))
        guard file >= 0 else { return nil }
        defer { close(file) }
        unlinkat(folder, name, 0)
        var status = stat()
        return fstat(file, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    /// Writes a file to disk. `fsync(2)` alone leaves the bytes in the drive's own memory on Apple platforms.
    package static func sync(_ file: Int32) -> Int32 { patchbay_write_to_disk(file) }

    /// `openat2(2)` for reading, without ever waiting for a disk. -1 if the disk would be asked, and on systems other than
    /// Linux.
    package static func openInMemory(_ folder: Int32, _ name: String) -> Int32 {
        patchbay_open_in_memory(folder, name)
    }

    /// `pread(2)` of the bytes that the kernel has in memory: it never waits for a disk. -1 if the first is not there.
    package static func readInMemory(_ file: Int32, _ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        guard let start = target.baseAddress else { return 0 }
        return patchbay_read_in_memory(file, start, UInt(target.count), UInt(clamping: offset))
    }

    /// Whether the two functions above keep their promise for a file: not every file system does.
    package static func isOnLocalDisk(_ file: Int32) -> Bool { patchbay_is_on_local_disk(file) }

    /// The maximum size of a file of this process, in bytes (RLIMIT_FSIZE).
    package static var largestFile: Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    /// The type of a stream socket; on Linux with SOCK_CLOEXEC: programs that this process starts do not inherit it.
    package static var streamSocket: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            SOCK_STREAM | SOCK_CLOEXEC
        #else
            SOCK_STREAM
        #endif
    }

    /// `accept(2)`. On Apple platforms, sending on the connection fails instead of raising SIGPIPE; elsewhere
    /// `sendsWithoutSignal` does that.
    package static func accept(_ listener: Int32) -> Int32 {
        let connection = acceptConnection(listener)
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return connection
    }

    /// `MSG_NOSIGNAL`: `send(2)` fails instead of raising SIGPIPE. 0 on systems without it.
    package static var sendsWithoutSignal: Int32 {
        #if os(Linux)
            Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL))
        #else
            0
        #endif
    }
}

// At file scope, because a member of the same name would shadow the C function.

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func createFile(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
}
private func readBytes(_ file: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
    read(file, target.baseAddress, target.count)
}
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func closeFile(_ file: Int32) -> Int32 { close(file) }

extension stat {
    package var lastWritten: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// The time of the last change of the content or of what the system keeps about the file. No program can set it.
    package var lastChanged: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}
