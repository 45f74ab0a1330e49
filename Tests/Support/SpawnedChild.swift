#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A running child with pipes on its three standard streams.
struct SpawnedChild: Sendable {
    private let process: pid_t
    private let input: Int32
    private let output: Int32
    private let errors: Int32

    #if os(tvOS) || os(watchOS)
        init(_ path: String, _ arguments: [String], _ variables: [String: String], _ directory: String?) throws {
            throw ChildProcess.NotStarted(description: "no program starts another on this system")
        }
    #else
        init(_ path: String, _ arguments: [String], _ variables: [String: String], _ directory: String?)
            throws
        {
            var ends: [Int32] = []
            for _ in 0..<3 {
                var pair: [Int32] = [-1, -1]
                guard pipe(&pair) == 0 else {
                    throw ChildProcess.NotStarted(description: "no pipe: errno \(errno)")
                }
                for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                ends += pair
            }
            #if canImport(Glibc)
                var actions = posix_spawn_file_actions_t()
            #else
                var actions: posix_spawn_file_actions_t?
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
            posix_spawn_file_actions_adddup2(&actions, ends[3], 1)
            posix_spawn_file_actions_adddup2(&actions, ends[5], 2)
            // A shell changes the directory: the call that would is not in every C library.
            let prefix = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0] } ?? []
            let words = prefix + [path] + arguments
            var argv = words.map { strdup($0) } + [nil]
            var environment = Self.environment(changedBy: variables).map { strdup($0) } + [nil]
            defer { for string in argv + environment { free(string) } }
            // The threads of Swift block nearly every signal; a child that inherits this cannot be ended by its own
            // program.
            #if canImport(Glibc)
                var attributes = posix_spawnattr_t()
            #else
                var attributes: posix_spawnattr_t?
            #endif
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var unblocked = sigset_t()
            sigemptyset(&unblocked)
            posix_spawnattr_setsigmask(&attributes, &unblocked)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var process: pid_t = 0
            let result = posix_spawn(&process, words[0], &actions, &attributes, &argv, &environment)
            for end in [ends[0], ends[3], ends[5]] { close(end) }
            (self.process, input, output, errors) = (process, ends[1], ends[2], ends[4])
            guard result == 0 else {
                for end in [ends[1], ends[2], ends[4]] { close(end) }
                throw ChildProcess.NotStarted(description: "\(path) did not start: errno \(result)")
            }
        }
    #endif

    /// Feeds and drains the pipes until the child has ended and closed them, or its time is over.
    func attend(_ bytes: [UInt8], _ limit: Duration) -> ChildProcess {
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
        for end in [input, output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: limit)
        var collected: [[UInt8]] = [[], []]
        var written = 0
        var watched = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        var late = false
        while watched[0].fd >= 0 || watched[1].fd >= 0 {
            if watched[2].fd >= 0, written == bytes.count {
                close(input)
                watched[2].fd = -1
            }
            let left = clock.now.duration(to: deadline)
            late = left <= .zero
            if late { break }
            poll(&watched, nfds_t(watched.count), Int32(clamping: Int64(left / .milliseconds(1)) + 1))
            for stream in 0...1 where watched[stream].fd >= 0 && watched[stream].revents != 0 {
                if Self.drain(watched[stream].fd, into: &collected[stream]) { watched[stream].fd = -1 }
            }
            if watched[2].fd >= 0, watched[2].revents != 0 {
                let count = bytes.withUnsafeBytes {
                    write(input, $0.baseAddress.map { $0 + written }, $0.count - written)
                }
                written = count > 0 ? written + count : (errno == EAGAIN ? written : bytes.count)
            }
        }
        if watched[2].fd >= 0 { close(input) }
        close(output)
        close(errors)
        var status: Int32 = 0
        while !late, waitpid(process, &status, WNOHANG) == 0 {
            late = clock.now >= deadline
            poll(nil, 0, 2)
        }
        if late {
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        let signal = status & 0x7F
        let end: ChildProcess.End =
            late ? .outOfTime : signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        return ChildProcess(end: end, output: collected[0], errors: collected[1])
    }

    /// True at the end of the stream.
    private static func drain(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else {
                return count == 0 || (errno != EAGAIN && errno != EINTR)
            }
        }
    }

    private static func environment(changedBy variables: [String: String]) -> [String] {
        var lines: [String] = []
        var next = environ
        while let line = next.pointee {
            let text = String(cString: line)
            if !variables.keys.contains(where: { text.hasPrefix($0 + "=") }) { lines.append(text) }
            next += 1
        }
        return lines + variables.map { "\($0)=\($1)" }
    }
}
