import PatchbayPlatform

/// Blocks SIGPIPE, which libcurl does not handle if NOSIGNAL is set. Writing to a broken connection must be an error,
/// not a signal.
enum BrokenPipeSignal {
    /// Blocks SIGPIPE for the calling thread.
    static func block() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Blocks SIGPIPE for the calling thread during `work`, and discards a SIGPIPE that `work` raised.
    static func blocked(_ work: () -> Void) {
        var signals = signals
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        work()
        guard sigismember(&before, SIGPIPE) == 0 else { return }
        var waiting = sigset_t()
        if sigpending(&waiting) == 0, sigismember(&waiting, SIGPIPE) == 1 {
            #if os(Linux)
                // Not sigwait: the pending signal can belong to the process, and another thread can take it first.
                var atOnce = timespec()
                sigtimedwait(&signals, nil, &atOnce)
            #else
                var taken: Int32 = 0
                sigwait(&signals, &taken)
            #endif
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        return signals
    }
}
