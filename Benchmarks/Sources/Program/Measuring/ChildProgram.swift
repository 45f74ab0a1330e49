import Glibc

/// A program that is started, and waited for, with nothing in between; what it prints goes nowhere.
struct ChildProgram {
    private let path: String
    private let words: [String]

    init(_ path: String, _ words: [String]) {
        self.path = path
        self.words = words
    }

    /// The exit code.
    func run() throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var arguments = ([path] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, &arguments, environ) == 0 else {
            throw WorkFailure("\(path) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
