// The commands, one a file: each has arguments, runs, and returns an exit code. To add a command, name it in
// Arguments/Command, write its help in Arguments/Command+Help, and run it from Program.

import Patchbay

enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// Two tables differ, or a case of a test failed.
    case different = 1
    /// A fault in the words on the command line, a URL or a header field.
    case usage = 2
    case manifest = 3
    /// The transport, a deadline, or a refused redirect.
    case transport = 4
    /// An unacceptable status.
    case status = 5
    /// A body over a limit, no entry that reads or writes, or a failed serializer.
    case serialization = 6
    case file = 7
    case interrupted = 130

    init(_ code: SessionError.Code) {
        switch code {
        case .invalidRequest: self = .usage
        case .transport, .notCached, .idleTimeout, .totalTimeout, .redirectRefused, .tooManyRedirects: self = .transport
        case .status: self = .status
        case .file: self = .file
        case .cancelled: self = .interrupted
        default: self = .serialization
        }
    }
}

struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}
