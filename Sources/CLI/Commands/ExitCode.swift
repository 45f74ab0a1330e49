// The commands, one a file: each has its arguments, runs, and gives an exit code. A new one is named in Arguments/Command, with its help
// in Arguments/Command+Help, and run by Program.

import Patchbay

enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// Two tables differ, or a case of a test failed.
    case different = 1
    /// The words on the command line, a URL or a header field.
    case usage = 2
    case manifest = 3
    /// The transport, a deadline, a redirect that was refused.
    case transport = 4
    /// A status that is not acceptable.
    case status = 5
    /// Over a limit, no entry that reads or writes, or a serializer that failed.
    case serialization = 6
    case file = 7
    case interrupted = 130

    init(_ code: SessionError.Code) {
        switch code {
        case .invalidRequest: self = .usage
        case .transport, .idleTimeout, .totalTimeout, .redirectRefused, .tooManyRedirects: self = .transport
        case .status: self = .status
        case .file: self = .file
        case .cancelled: self = .interrupted
        default: self = .serialization
        }
    }
}

/// Why a command could not do what it was asked for: a sentence and an exit code.
struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}
