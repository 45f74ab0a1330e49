import Testing

@testable import PatchbayCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// In child processes, which a signal that gets through would end.
@Suite("SIGPIPE stays with the transport", .timeLimit(.minutes(5)))
struct BrokenPipeSignalTests {
    private static var isBlocked: Bool {
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return sigismember(&blocked, SIGPIPE) == 1
    }

    private static func raise() { pthread_kill(pthread_self(), SIGPIPE) }

    private static func allow() {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    @Test("A signal raised in the work is gone when the thread gets its own mask back")
    func taken() async {
        await #expect(processExitsWith: .success) {
            Self.allow()
            BrokenPipeSignal.blocked { Self.raise() }
            try #require(!Self.isBlocked)
        }
    }

    @Test("A thread that had it blocked keeps it so, and the signal that waits for it")
    func kept() async {
        await #expect(processExitsWith: .success) {
            Self.allow()
            BrokenPipeSignal.block()
            BrokenPipeSignal.blocked { Self.raise() }
            try #require(Self.isBlocked)
            var waiting = sigset_t()
            sigpending(&waiting)
            try #require(sigismember(&waiting, SIGPIPE) == 1)
        }
    }
}
