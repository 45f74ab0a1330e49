import Foundation
import TestSupport
import Testing

@testable import PatchbayCLI

/// A real shell in a pseudoterminal, into which a test types.
struct TypedShell {
    let shell: Shell
    let folder: TemporaryFolder

    /// Where a program is in `PATH`.
    static func path(_ program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return folders.split(separator: ":").map { $0 + "/" + program }
            .first(where: FileManager.default.isExecutableFile)
    }

    static func isInstalled(_ programs: String...) -> Bool { programs.allSatisfy { path($0) != nil } }

    /// A folder with the completions, files to complete, and the start file of the shell, in which `patchbay` records its
    /// words.
    init(_ shell: Shell) throws {
        self.shell = shell
        folder = TemporaryFolder()
        for name in ["work", "functions", "fish"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        for name in ["words", "work/authority.pem", "work/base plan.json"] { try folder.write("", to: name) }
        try folder.write(shell.completions, to: "functions/_patchbay")
        let record = "printf '%s|' \(shell == .fish ? "$argv" : #""$@""#) >>../words; echo >>../words; echo recorded"
        switch shell {
        case .bash:
            try folder.write(
                "PS1='ready> '\nsource ../functions/_patchbay\npatchbay() { \(record); }\n", to: "bashrc")
        case .zsh:
            try folder.write(
                """
                PS1='ready> '
                fpath=(\(folder.path)/functions $fpath)
                autoload -U compinit
                compinit -D -u
                patchbay() { \(record); }

                """, to: ".zshrc")
        case .fish:
            try folder.write(
                """
                set -g fish_greeting
                set -g fish_autosuggestion_enabled 0
                function fish_prompt; echo -n 'ready> '; end
                source ../functions/_patchbay
                function patchbay; \(record); end

                """, to: "fish/config.fish")
        }
    }

    /// The words of each command line that was run, and the screen. A step is keys and what the screen shows after
    /// them.
    func type(_ steps: [(keys: String, shows: String)]) async throws -> (lines: [[String]], screen: String) {
        let command =
            switch shell {
            case .bash: ["bash", "--noprofile", "--rcfile", folder.path + "/bashrc", "-i"]
            case .zsh: ["zsh", "-d", "-i"]
            case .fish: ["fish", "-i"]
            }
        let child = try await ChildProcess.run(
            try #require(Self.path("python3")),
            [Markdown.root.appending(path: "scripts/typed.py").path] + command,
            environment: [
                "HOME": folder.path, "ZDOTDIR": folder.path, "XDG_CONFIG_HOME": folder.path, "LC_ALL": "C.UTF-8",
                "XDG_DATA_HOME": folder.path, "TERM": "xterm",
            ],
            input: Array(steps.map { $0.keys + "\n" + $0.shows + "\n" }.joined().utf8),
            directory: folder.path + "/work", limit: .seconds(200))
        #expect(child.end == .exited(0), "\(child.outputText)\(child.errorText)")
        let words = try String(contentsOfFile: folder.path + "/words", encoding: .utf8)
        return (
            words.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }, child.outputText
        )
    }
}
