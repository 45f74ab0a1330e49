/// Why a command could not do what it was asked for: a sentence and an exit code.
struct CommandFailure: Error, Equatable {
    let exitCode: ExitCode
    let message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }
}
