import PatchbayPlatform

/// SIGPIPE, which libcurl with NOSIGNAL leaves to its user: a write to a broken connection shall be an error, not a signal.
enum BrokenPipeSignal {
    /// Keeps it from the calling thread for good.
    static func block() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Keeps it from the calling thread while `work` runs, one that `work` has raised included.
    static func blocked(_ work: () -> Void) {
        var signals = signals
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        work()
        guard sigismember(&before, SIGPIPE) == 0 else { return }
        takeWaiting()
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private static func takeWaiting() {
        var waiting = sigset_t()
        guard sigpending(&waiting) == 0, sigismember(&waiting, SIGPIPE) == 1 else { return }
        var signals = signals
        #if os(Linux)
            // Not sigwait: what waits may be the process's, and another thread may take it first.
            var atOnce = timespec()
            sigtimedwait(&signals, nil, &atOnce)
        #else
            var taken: Int32 = 0
            sigwait(&signals, &taken)
        #endif
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        return signals
    }
}
