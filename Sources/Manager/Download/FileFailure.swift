import PatchbayPlatform

/// The reason that the file of a download could not be written, read again or resumed.
package struct FileFailure: Error, Sendable, Hashable {
    package enum Act: String, Sendable {
        case written, read, resumed
    }

    enum Cause: Sendable, Hashable {
        /// The code of the system (`errno`).
        case system(Int32)
        case inUse
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

    /// Whether the same can succeed later.
    var canPass: Bool {
        if case .other = cause { false } else { true }
    }

    /// The error of the system; nil if the reason is not from the system, or its code is unknown.
    var systemError: POSIXError? {
        guard case .system(let code) = cause else { return nil }
        return POSIXError.Code(rawValue: code).map { POSIXError($0) }
    }
}

extension FileFailure: SafeToPrint {
    package var description: String {
        let reason: String
        switch cause {
        case .system(EEXIST): reason = SystemError.words(EEXIST) + "; replacingFile() replaces it"
        case .system(let code): reason = SystemError.words(code)
        case .inUse: reason = "another call is at it"
        case .other(let words): reason = words
        }
        return "\(name) cannot be \(act.rawValue): \(reason)"
    }
}
