import Foundation
import TestSupport
import Testing

/// `Documentation/Walk.md`, replayed: what it says is typed is typed, and what is printed is what it says.
@Suite(.timeLimit(.minutes(5))) struct WalkTests {
    /// What a reader does, in the order of the page.
    enum Step {
        /// A block of JSON: it is `Plugins.json` from here on.
        case manifest(String)
        /// A line behind a prompt, and the lines that stand on the screen before the next one.
        case command(String, printed: [String])
    }

    /// The steps in the fenced blocks `json` and `console`.
    static func steps(_ text: String) -> [Step] {
        var steps: [Step] = []
        for block in Markdown(text: text).blocks {
            if block.language == "json" { steps.append(.manifest(block.text)) }
            guard block.language == "console" else { continue }
            for line in block.text.components(separatedBy: "\n").dropLast() {
                if line.hasPrefix("$ ") {
                    steps.append(.command(String(line.dropFirst(2)), printed: []))
                } else if case .command(let command, let printed)? = steps.popLast() {
                    steps.append(.command(command, printed: printed + [line]))
                }
            }
        }
        return steps
    }

    /// The screen as it is compared: a digest depends on the build, as do the lines of cases, and the port of the page may be taken here. Without a decoder of
    /// images the built-in table has no entry for them, which shows in what each entry said and in the number of cases.
    static func comparable(_ lines: some Sequence<String>) -> [String] {
        let lines = lines.map {
            $0.replacing(/(digest|registry) [0-9a-f]{16}/) { "\($0.1) DIGEST" }.replacing(
                /127\.0\.0\.1:\d+/, with: "127.0.0.1:PORT"
            ).replacing(/cases\.json:\d+/, with: "cases.json:LINE")
        }
        #if Images || canImport(ImageIO)
            return lines
        #else
            return lines.filter { !$0.contains("image") }
                .map { $0.replacing(/\d+ (cases|passed)|entries \d+ of \d+/, with: "N") }
        #endif
    }

    /// One shell runs it all, so that jobs stay in the background from one step to the next. Commands and what they print go to one
    /// file, the screen. Where the page shows more lines than a command has printed, a job is still to print them; where none does, it
    /// is over.
    static func script(_ steps: [Step], _ folder: TemporaryFolder) throws -> String {
        var script = """
            PATH="${0%/*}:$PATH"
            exec >screen 2>&1 </dev/null
            trap 'kill -INT $(jobs -p) 2>/dev/null; wait' EXIT
            shown() {
                local left=400
                until [ "$(wc -l <screen)" -ge "$1" ]; do
                    [ "$((left -= 1))" -gt 0 ] || exit 1
                    sleep 0.05
                done
            }

            """
        for (number, step) in steps.enumerated() {
            switch step {
            case .manifest(let text):
                let file = try folder.write(text, to: "step \(number)")
                script += "cp '\(file)' Plugins.json\n"
            case .command(let command, let printed):
                // The server says which port it has; the page's is for those who have it free.
                let typed = command.replacing("--serve 8080", with: "--serve 0").replacing("8080", with: "$port")
                let quoted = command.replacing("'", with: #"'\''"#)
                script += "printf '%s\\n' '$ \(quoted)'\nlines=$(wc -l <screen)\n\(typed)\n"
                script += "shown $((lines + \(comparable(printed).count)))\n"
                script += "port=$(sed -n 's|^http://127.0.0.1:||p' screen | head -n 1)\n"
            }
        }
        return script
    }

    @Test func `what the page says is typed prints what it says`() async throws {
        let page = try Markdown("Documentation/Walk.md").text
        let steps = Self.steps(page)
        let (manifests, folder) = (TemporaryFolder(), TemporaryFolder())
        let child = try await ChildProcess.run(
            "/bin/bash", ["-c", try Self.script(steps, manifests), try Binary.path],
            environment: ["no_proxy": "*", "NO_PROXY": "*"], directory: folder.path, limit: .seconds(200))
        #expect(child.end == .exited(0), "\(child.errorText)")
        let screen = try String(contentsOfFile: folder.path + "/screen", encoding: .utf8)
        #expect(screen.hasSuffix("\n"))
        let found = Self.comparable(
            screen.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
        let expected = Self.comparable(
            steps.flatMap { step in
                if case .command(let command, let printed) = step { ["$ " + command] + printed } else { [String]() }
            })
        if let (found, expected) = zip(found, expected).first(where: { $0 != $1 }) {
            Issue.record("printed: \(found), on the page: \(expected)")
        }
        #expect(found.count == expected.count, "\(screen)")
    }

    @Test(arguments: ["init", "check", "diff built-in Plugins.json", "test --write", "demo --watch", "get", "explain"])
    func `the page shows`(_ command: String) throws {
        let commands = Self.steps(try Markdown("Documentation/Walk.md").text).compactMap { step in
            if case .command(let command, _) = step { command } else { nil as String? }
        }
        #expect(commands.contains { $0.hasPrefix("patchbay \(command)") })
    }
}
