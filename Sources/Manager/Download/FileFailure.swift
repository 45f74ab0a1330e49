import PatchbayPlatform

/// Why the file of a download could not be written, read again or resumed.
package struct FileFailure: Error, Sendable, Hashable {
    package enum Act: String, Sendable {
        case written, read, resumed
    }

    enum Cause: Sendable, Hashable {
        /// The code that the system gave (`errno`).
        case system(Int32)
        case other(String)
    }

    package let name: String
    package let act: Act
    let cause: Cause

    init(name: String, _ cause: Cause, _ act: Act = .written) {
        self.name = name
        self.act = act
        self.cause = cause
    }

    /// Whether the system gave the reason.
    var isOfSystem: Bool {
        if case .system = cause { true } else { false }
    }

    /// The error of the system; nil where the reason is our own, or the system's code is not known.
    var systemError: POSIXError? {
        guard case .system(let code) = cause else { return nil }
        return POSIXError.Code(rawValue: code).map { POSIXError($0) }
    }
}

extension FileFailure: SafeToPrint {
    package var description: String {
        let reason: String
        switch cause {
        case .system(let code): reason = SystemError.words(code)
        case .other(let words): reason = words
        }
        return "\(name) cannot be \(act.rawValue): \(reason)"
    }
}
