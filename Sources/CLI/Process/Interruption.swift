#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns the interrupt key (SIGINT) into the cancellation of a task.
enum Interruption {
    /// Holds the signal back from every thread that this one starts from now on; call it before there are others.
    static func hold() {
        var signals = only
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Calls `cancel` at the first interrupt and ends the process at the second.
    static func whenInterrupted(_ cancel: @escaping @Sendable () -> Void) {
        _ = BackgroundThread.start {
            var signals = only
            var received: Int32 = 0
            guard sigwait(&signals, &received) == 0 else { return }
            cancel()
            guard sigwait(&signals, &received) == 0 else { return }
            _exit(ExitCode.interrupted.rawValue)
        }
    }

    private static var only: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
