import PatchbayPlatform

/// Turns the interrupt key (SIGINT) into the cancellation of a task.
enum Interruption {
    /// Runs the body, ends the process with its exit code, and never returns. Call it on the main thread, before there is
    /// any other: they all inherit that the signal is held back for this one.
    ///
    /// The first interrupt cancels the body, which then says how it ends; the second ends the process there and then.
    static func run(_ body: @escaping @Sendable () async -> ExitCode) -> Never {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let task = Task { exit(await body().rawValue) }
        wait(for: &signals)
        task.cancel()
        wait(for: &signals)
        _exit(ExitCode.interrupted.rawValue)
    }

    private static func wait(for signals: inout sigset_t) {
        var received: Int32 = 0
        while sigwait(&signals, &received) != 0 {}
    }
}
