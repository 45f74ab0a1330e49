import Foundation
import TestSupport
import Testing

@testable import PatchbayCLI

/// The completions: what they offer, and what a real shell makes of the tab key.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    static let missing = "install zsh, fish and python3, as scripts/test does"

    @Test(arguments: Shell.allCases) func `the command prints the script`(_ shell: Shell) async throws {
        let run = try await Binary.run(["completions", shell.rawValue])
        #expect(run.code == 0)
        #expect(run.output == shell.completions)
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: Shell.allCases) func `a script has every command and every option`(_ shell: Shell) {
        let words = Set(shell.completions.split { " \n(){}'|,:[=+*".contains($0) }.map(String.init))
        for name in Command.Name.allCases {
            #expect(words.contains(name.rawValue))
            for option in name.allOptions.flatMap(\.names) {
                let written =
                    switch shell {
                    case .bash, .zsh: option
                    case .fish: String(option.trimmingPrefix("-").trimmingPrefix("-"))
                    }
                let isThere = words.contains(written)
                #expect(isThere, "\(option)")
            }
        }
    }

    @Test(arguments: Shell.allCases.filter { TypedShell.isInstalled($0.rawValue) })
    func `the shell reads the script without a complaint`(_ shell: Shell) async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(shell.completions, to: "script")
        let child = try await ChildProcess.run(try #require(TypedShell.path(shell.rawValue)), ["-n", file])
        #expect(child.end == .exited(0))
        #expect(child.errorText.isEmpty)
    }

    /// Keys, and the words of the command that then runs; `\t` is the tab key.
    static let rows: [(keys: String, words: [String])] = [
        (#"patchbay get --man\t x"#, ["get", "--manifest", "x"]),
        (#"patchbay sch\t"#, ["schema"]),
        (#"patchbay help dec\t"#, ["help", "decode"]),
        (#"patchbay --vers\t"#, ["--version"]),
        (#"patchbay check --str\t"#, ["check", "--strict"]),
        // What the command lacks is not offered: all of --max-size, --retry and the URL stay as they are.
        (#"patchbay check --retr\t"#, ["check", "--retr"]),
        (#"patchbay get auth\t"#, ["get", "auth"]),
        // A line without a command is one of get.
        (#"patchbay http://h:1/ --max\t 1"#, ["http://h:1/", "--max-size", "1"]),
        (#"patchbay --max\t 1 h"#, ["--max-size", "1", "h"]),
        (#"patchbay -i --max\t 1 h"#, ["-i", "--max-size", "1", "h"]),
        (#"patchbay h.de --format j\t"#, ["h.de", "--format", "json"]),
        // Words.
        (#"patchbay get --format j\tu"#, ["get", "--format", "json", "u"]),
        (#"patchbay get --color=al\tu"#, ["get", "--color=always", "u"]),
        (#"patchbay completions f\t"#, ["completions", "fish"]),
        // Files.
        (#"patchbay get --cacert auth\tu"#, ["get", "--cacert", "authority.pem", "u"]),
        (#"patchbay get --cacert=auth\tu"#, ["get", "--cacert=authority.pem", "u"]),
        (#"patchbay get --cache auth\tu"#, ["get", "--cache", "authority.pem", "u"]),
        (#"patchbay get -o ba\tu"#, ["get", "-o", "base plan.json", "u"]),
        (#"patchbay get -d @auth\tu"#, ["get", "-d", "@authority.pem", "u"]),
        (#"patchbay get -d @\tba\tu"#, ["get", "-d", "@base plan.json", "u"]),
        (#"patchbay get -d auth\tu"#, ["get", "-d", "authu"]),
        (#"patchbay get -F p=@auth\tu"#, ["get", "-F", "p=@authority.pem", "u"]),
        (#"patchbay decode auth\t--raw"#, ["decode", "authority.pem", "--raw"]),
        (#"patchbay diff bu\tauth\t"#, ["diff", "built-in", "authority.pem"]),
        (#"patchbay check bas\t"#, ["check", "base plan.json"]),
    ]

    @Test(
        .enabled(if: TypedShell.isInstalled("python3", "zsh", "fish"), .init(rawValue: missing)),
        arguments: Shell.allCases)
    func `the tab key completes`(_ shell: Shell) async throws {
        let typed = try await TypedShell(shell).type(Self.rows.map { ($0.keys + #"\r"#, "recorded") })
        for (row, words) in zip(Self.rows, typed.lines) {
            #expect(words == row.words, "\(row.keys)")
        }
        #expect(typed.lines.count == Self.rows.count, "\(typed.screen)")
    }

    @Test(
        .enabled(if: TypedShell.isInstalled("python3", "zsh", "fish"), .init(rawValue: missing)),
        arguments: Shell.allCases)
    func `the tab key lists what is possible`(_ shell: Shell) async throws {
        _ = try await TypedShell(shell).type([(#"patchbay get --ma\t\t"#, "--manifest --max-size")])
    }

    /// All that bash offers behind each command.
    @Test func `bash offers the options of each command, and the commands`() async throws {
        let folder = TemporaryFolder()
        try folder.write(Shell.bash.completions, to: "script")
        let lines =
            Command.Name.allCases.map { "patchbay \($0.rawValue) -" } + ["patchbay ", "patchbay u ", "patchbay get "]
        let script = """
            source ./script
            for COMP_LINE in "$@"; do
                COMP_POINT=${#COMP_LINE}
                _patchbay patchbay "${COMP_LINE##* }"
                echo "${COMPREPLY[*]}"
            done
            """
        let child = try await ChildProcess.run("/bin/bash", ["-c", script, "bash"] + lines, directory: folder.path)
        #expect(child.errorText.isEmpty)
        let commands = Command.Name.allCases
        let offered = commands.map { $0.allOptions.flatMap(\.names) } + [commands.map(\.rawValue), [], []]
        let expected = offered.map { $0.joined(separator: " ") + "\n" }.joined()
        #expect(child.outputText == expected)
    }

    /// All that fish offers behind each command, with its description.
    @Test(
        .enabled(if: TypedShell.isInstalled("fish"), .init(rawValue: missing)), arguments: Command.Name.allCases)
    func `fish offers the options of each command, with their help`(_ name: Command.Name) async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(Shell.fish.completions, to: "script")
        let child = try await ChildProcess.run(
            try #require(TypedShell.path("fish")),
            ["--no-config", "-c", "source \(file); complete -C 'patchbay \(name.rawValue) --'"],
            environment: ["HOME": folder.path, "LC_ALL": "C.UTF-8"])
        #expect(child.errorText.isEmpty)
        let offered = Set(child.outputText.split(separator: "\n").map(String.init))
        let options = name.allOptions.flatMap { option in
            option.names.filter { $0.hasPrefix("--") }.map { $0 + "\t" + option.help }
        }
        #expect(offered == Set(options))
    }
}
