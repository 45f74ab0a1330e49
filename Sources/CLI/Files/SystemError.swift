#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The C library's words for its latest error on this thread.
enum SystemError {
    static var last: String { words(errno) }

    static func words(_ code: Int32) -> String {
        guard let words = strerror(code) else { return "error \(code)" }
        return String(cString: words)
    }
}
