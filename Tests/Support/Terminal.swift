import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A terminal of tmux in which a script runs; it takes the place of a person's window.
package final class Terminal {
    static let program = "/usr/bin/tmux"
    package static let isPossible = FileManager.default.isExecutableFile(atPath: program)
    package static let absence = "tmux is not installed (Debian: tmux)"

    /// The folder of the script. `/tmp`, because the path of a Unix socket is short.
    private let folder: TemporaryFolder
    private static let end = "THE END"
    /// The process of tmux. Its own command to end it would send it a signal, and a child of a test has every signal but
    /// KILL blocked.
    private var server: pid_t?

    /// Starts the script, for `sh`, in its folder. `patchbay` is the built program there.
    package init(_ script: String, columns: Int, isColoured: Bool = true) async throws {
        folder = TemporaryFolder()
        let settings =
            "set -s exit-empty off\nset -g status off\nset -g history-limit 50000\nset -g default-terminal screen-256color\n"
        try folder.write(settings, to: "tmux.conf")
        let head = """
            PATH='\(URL(fileURLWithPath: try Binary.path).deletingLastPathComponent().path)':$PATH
            export no_proxy='*' SWIFT_BACKTRACE=enable=no
            unset NO_COLOR COLUMNS \(isColoured ? "" : "; export NO_COLOR=1")

            """
        try folder.write(head + script + "\necho '\(Self.end)'\nread line\n", to: "script")
        try await tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "50", "-c", folder.path, "sh '\(folder.path)/script'"])
        server = pid_t(try await tmux(["display-message", "-p", "#{pid}"]).filter(\.isNumber))
    }

    /// What runs in the terminal ends with it.
    deinit { if let server { kill(server, SIGKILL) } }

    /// Presses a key, by tmux's name of it, such as `C-c`.
    package func press(_ key: String) async throws { try await tmux(["send-keys", key]) }

    /// Writes a file into the folder of the script.
    package func write(_ name: String) throws { try folder.write("x", to: name) }

    /// The lines from the first one on, as they were printed: a line that the terminal wrapped is one line.
    package func lines(withColours: Bool = false) async throws -> [String] {
        let text = try await tmux(["capture-pane", "-p", "-J", "-S", "-"] + (withColours ? ["-e"] : []))
        return text.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns the lines when one of them has the text, or after half a minute.
    @discardableResult package func lines(until text: String) async throws -> [String] {
        for _ in 0..<600 {
            let lines = try await lines()
            if lines.contains(where: { $0.contains(text) }) { return lines }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await lines()
    }

    /// The lines that were printed when the script is over.
    @discardableResult package func linesAtEnd() async throws -> [String] {
        let lines = try await lines(until: Self.end)
        guard let last = lines.firstIndex(where: { $0.contains(Self.end) }) else { return lines }
        // What stands before the mark on its line was left there.
        let rest = lines[last].components(separatedBy: Self.end)[0]
        return lines[..<last] + (rest.isEmpty ? [] : [rest])
    }

    @discardableResult private func tmux(_ words: [String]) async throws -> String {
        let child = try await ChildProcess.run(
            Self.program, ["-u", "-S", folder.path + "/tmux", "-f", folder.path + "/tmux.conf"] + words,
            environment: ["LC_ALL": "C.UTF-8", "TMUX": ""])
        guard child.end == .exited(0) else { throw ChildProcess.NotStarted(description: child.errorText) }
        return child.outputText
    }
}
