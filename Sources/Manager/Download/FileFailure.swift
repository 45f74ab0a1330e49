import PatchbayPlatform

/// Why the file of a download could not be written, read again or resumed.
public struct FileFailure: Error, Sendable, Hashable {
    /// What was tried; open, so that more can come.
    public struct Act: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file was written.
        public static let written = Act(rawValue: "written")
        /// It was read again.
        public static let read = Act(rawValue: "read")
        /// A download was to go on in it.
        public static let resumed = Act(rawValue: "resumed")

        public var description: String { rawValue }
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

    /// The failure that the system named with a code (`errno`).
    /// - Parameter name: the last component of the file's path.
    public init(name: String, act: Act, systemCode: Int32) { self.init(name: name, .system(systemCode), act) }

    /// - Parameters:
    ///   - name: the last component of the file's path.
    ///   - reason: one clause in plain words.
    public init(name: String, act: Act, reason: String) { self.init(name: name, .other(reason), act) }

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
