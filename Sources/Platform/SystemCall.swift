// What differs from one system to another, and nothing else: the names of Foundation and of the C library, system calls and the
// words for their errors, locks and threads. Everything else imports PatchbayPlatform and asks no more.

import CPatchbayFiles

// The system's C library, by whichever name it has here.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif

/// System calls by names that no method of a caller hides, and those that differ from one system to another.
package enum SystemCall {
    /// `open(2)` of a file that is there, which no program that is started inherits.
    package static func open(_ path: String, _ flags: Int32) -> Int32 { openFile(path, flags | O_CLOEXEC) }

    /// `read(2)`; one that a signal interrupts is made again.
    package static func read(_ file: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = readBytes(file, target)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// `write(2)`; one that a signal interrupts is made again.
    package static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = writeOnce(file, bytes)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    /// `write(2)`, once.
    package static func writeOnce(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { writeBytes(file, bytes) }

    /// `close(2)`, once: where a signal interrupts it, the number may be another file's by now.
    @discardableResult
    package static func close(_ file: Int32) -> Int32 { closeFile(file) }

    /// Gives a file another name in its folder, which must be free.
    package static func renameToFree(_ folder: Int32, _ from: String, _ to: String) -> Int32 {
        patchbay_rename_to_free_name(folder, from, to)
    }

    /// Gives an open file a name, which must be free.
    package static func link(_ file: Int32, _ folder: Int32, _ name: String) -> Int32 {
        #if os(Linux)
            // By the descriptor, and so no other file's, whatever has become of the name that it was opened by.
            return linkat(AT_FDCWD, "/proc/self/fd/\(file)", folder, name, AT_SYMLINK_FOLLOW)
        #else
            errno = ENOTSUP
            return -1
        #endif
    }

    /// The mode that files of this process do not get; nil where the system does not say.
    ///
    /// Read, since `umask` itself would set it for a moment, and other threads make files. Linux says it since 4.7.
    package static var umask: mode_t? {
        #if os(Linux)
            let file = open("/proc/self/status", O_RDONLY)
            guard file >= 0 else { return nil }
            defer { close(file) }
            // It is the second line, and the first holds a name of 64 bytes at most, escaped.
            let text = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
                String(decoding: buffer.prefix(max(read(file, buffer), 0)), as: UTF8.self)
            }
            let line = text.split(separator: "\n").first { $0.hasPrefix("Umask:") }
            return line?.split(separator: "\t").last.flatMap { mode_t($0, radix: 8) }
        #else
            return nil
        #endif
    }

    /// How long a file of this process may become, in bytes (RLIMIT_FSIZE).
    package static var largestFile: Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    /// The kind of a socket that carries a stream of bytes, which on Linux no program that is started inherits.
    package static var streamSocket: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            SOCK_STREAM | SOCK_CLOEXEC
        #else
            SOCK_STREAM
        #endif
    }

    /// The flag of `send(2)` with which a broken connection raises no signal; 0 where there is none.
    package static var sendsWithoutSignal: Int32 {
        #if os(Linux)
            Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL))
        #else
            0
        #endif
    }
}

// At file scope, where no member is called the same.

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func readBytes(_ file: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
    read(file, target.baseAddress, target.count)
}
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
private func closeFile(_ file: Int32) -> Int32 { close(file) }

extension stat {
    package var lastWritten: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }
}
