/// The C library's words for its errors.
package enum SystemError {
    /// For the latest error on this thread.
    package static var last: String { words(errno) }

    /// What the system says about a code of its own; the number where it says nothing.
    package static func words(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
