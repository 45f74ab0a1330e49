#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a whole file, or standard input where the path is `-`.
enum InputFile {
    /// At most `limit` bytes and one more, by which the caller sees that there are too many.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let wanted = min(chunk.count, limit - bytes.count + (limit < Int.max ? 1 : 0))
            #if canImport(Glibc)
                let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, wanted) }
            #else
                let count = chunk.withUnsafeMutableBytes { Darwin.read(descriptor, $0.baseAddress, wanted) }
            #endif
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        let reason = SystemError.last
        return CommandFailure(.file, "\(path == "-" ? "standard input" : path) cannot be read: \(reason)")
    }
}
