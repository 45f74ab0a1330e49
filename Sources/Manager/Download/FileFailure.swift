#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a file could not be written.
public struct FileFailure: Error, Sendable, Hashable {
    enum Cause: Sendable, Hashable {
        /// The code that the system gave (`errno`).
        case system(Int32)
        case other(String)
    }

    /// The last component of the file's path.
    public let name: String
    let cause: Cause

    init(name: String, _ cause: Cause) {
        self.name = name
        self.cause = cause
    }

    /// The code of the system (`errno`); nil where the reason is our own.
    public var systemCode: Int32? {
        if case .system(let code) = cause { code } else { nil }
    }
}

extension FileFailure: CustomStringConvertible {
    public var description: String {
        let reason: String
        switch cause {
        case .system(let code): reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        case .other(let words): reason = words
        }
        return "\(name) cannot be written: \(reason)"
    }
}
