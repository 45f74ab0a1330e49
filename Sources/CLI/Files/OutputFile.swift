#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a text to a file of its own.
enum OutputFile {
    /// - Parameter beginning: how a file that is there already begins if it may be written over. Any other is left as it is, and
    ///   that is an error.
    static func write(
        _ text: String, to path: String, overFilesThatBegin beginning: String? = nil
    ) throws(CommandFailure) {
        let replaces = beginning.map { isFile(path, thatBegins: $0) } ?? false
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
        let descriptor = open(path, flags, 0o644)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw CommandFailure(.file, "\(path) is there already, and is not written over")
            }
            throw CommandFailure(.file, "\(path) cannot be written: \(SystemError.last)")
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            #else
                let written = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
            #endif
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw CommandFailure(.file, "\(path) cannot be written: \(SystemError.last)") }
            rest = rest.dropFirst(written)
        }
    }

    private static func isFile(_ path: String, thatBegins beginning: String) -> Bool {
        var status = stat()
        // The reader of a pipe would wait for one who writes.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let bytes = (try? InputFile.read(path, limit: beginning.utf8.count)) ?? []
        return bytes.starts(with: beginning.utf8)
    }
}
