import PatchbayPlatform

/// Why the file of a download could not be written, read again or resumed.
public struct FileFailure: Error, Sendable, Hashable {
    /// What was tried.
    public enum Act: String, Sendable, Hashable {
        case written, read, resumed
    }

    enum Cause: Sendable, Hashable {
        /// The code that the system gave (`errno`).
        case system(Int32)
        case other(String)
    }

    /// The last component of the file's path.
    public let name: String
    /// What was done with the file when it failed.
    public let act: Act
    let cause: Cause

    init(name: String, _ cause: Cause, _ act: Act = .written) {
        self.name = name
        self.act = act
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
        case .system(let code): reason = SystemError.words(code)
        case .other(let words): reason = words
        }
        return "\(name) cannot be \(act.rawValue): \(reason)"
    }
}
