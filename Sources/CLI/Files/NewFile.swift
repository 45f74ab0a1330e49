#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a file that was not there.
enum NewFile {
    /// Writes the text, and gives false where something is there already, be it a link that leads nowhere. Of a file that could
    /// not be written to its end nothing is left.
    static func write(_ text: String, to path: String) throws(CommandFailure) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw failure(path, errno)
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            #else
                let count = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
            #endif
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let reason = errno
                unlink(path)
                throw failure(path, reason)
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ path: String, _ reason: Int32) -> CommandFailure {
        CommandFailure(.file, "\(path) cannot be written: \(SystemError.words(reason))")
    }
}
