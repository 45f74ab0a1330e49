import Foundation
import Patchbay
import TestSupport
import Testing

@testable import PatchbayCLI

/// Credentials that are typed, and the line about credentials after status 401.
@Suite(.timeLimit(.minutes(5))) struct SignInTests {
    private static func server() throws -> RawServer {
        try RawServer(always: .response(["Content-Type": "text/plain"], body: "done\n"))
    }

    /// The name and the password of the only request.
    private static func sent(to server: RawServer) throws -> String {
        let requests = server.requests
        #expect(requests.count == 1)
        let field = try #require(requests.first?.fields["Authorization"])
        return String(decoding: try #require(Data(base64Encoded: String(field.dropFirst(6)))), as: UTF8.self)
    }

    /// The state of the terminal after the command: whether it shows what is typed, and stops a job at Ctrl-Z.
    private static let state = "; echo code $?; stty -a | grep -o -- '-*echo \\|susp = [^;]*'"
    private static let isRestored = ["susp = ^Z", "echo"]

    @Test(.enabled(if: Terminal.isPossible, "\(Terminal.absence)"), arguments: ["s3:cr ü", ""])
    func `-u NAME asks for the password, which is not shown`(_ password: String) async throws {
        let server = try Self.server()
        let script = "patchbay -u ada \(server.target()) </dev/null 2>/dev/null" + Self.state
        let terminal = try await Terminal(script, columns: 80)
        try await terminal.lines(until: "password of ada for 127.0.0.1:\(server.port):")
        #expect(server.requests.isEmpty)
        if !password.isEmpty { try await terminal.press(password + "x") }
        if !password.isEmpty { try await terminal.press("BSpace") }
        try await terminal.press("Enter")
        let end = try await terminal.linesAtEnd()
        #expect(end == ["password of ada for 127.0.0.1:\(server.port):", "done", "code 0"] + Self.isRestored, "\(end)")
        #expect(try Self.sent(to: server) == "ada:" + password)
    }

    @Test(.enabled(if: Terminal.isPossible, "\(Terminal.absence)"))
    func `a password that the terminal cuts is not sent`() async throws {
        let server = try Self.server()
        let terminal = try await Terminal("patchbay -u ada \(server.target())" + Self.state, columns: 80)
        try await terminal.lines(until: "password of ada")
        for _ in 0..<5 { try await terminal.press(String(repeating: "a", count: 1_000)) }
        try await terminal.press("Enter")
        let said = "patchbay: the password is longer than a terminal takes; -u @FILE has room"
        let end = try await terminal.linesAtEnd()
        #expect(end == ["password of ada for 127.0.0.1:\(server.port):", said, "code 2"] + Self.isRestored, "\(end)")
        #expect(server.requests.isEmpty)
    }

    /// Keys at the prompt, and what is said. The terminal is as before, and nothing was sent.
    @Test(
        .enabled(if: Terminal.isPossible, "\(Terminal.absence)"),
        arguments: [
            (["half", "C-c"], nil, 130), (["C-d"], "no password was typed", 2),
            (["a", "Up", "Enter"], "the password is not one line of visible text in UTF-8, of at most 64 KiB", 7),
            (
                ["a", "C-z", "C-\\", "Enter"],
                "the password is not one line of visible text in UTF-8, of at most 64 KiB", 7
            ),
        ] as [([String], String?, Int)])
    func `a password that is not typed leaves the terminal as it was`(
        _ keys: [String], _ sentence: String?, _ code: Int
    ) async throws {
        let server = try Self.server()
        let terminal = try await Terminal("trap : INT\npatchbay -u ada \(server.target())" + Self.state, columns: 80)
        try await terminal.lines(until: "password of ada")
        for key in keys { try await terminal.press(key) }
        let end = try await terminal.linesAtEnd()
        let said = sentence.map { ["patchbay: " + $0] } ?? []
        #expect(
            end == ["password of ada for 127.0.0.1:\(server.port):"] + said + ["code \(code)"] + Self.isRestored,
            "\(end)")
        #expect(server.requests.isEmpty)
    }

    @Test(.enabled(if: Terminal.isPossible, "\(Terminal.absence)"), arguments: ["TERM", "HUP", "INT"])
    func `a signal at the prompt leaves the terminal as it was`(_ signal: String) async throws {
        let server = try Self.server()
        let script = """
            trap : INT
            sh -c 'echo $$ >pid; exec patchbay -u ada \(server.target())' \(Self.state)
            """
        let terminal = try await Terminal(
            "(until [ -s go ]; do sleep 0.05; done; kill -\(signal) $(cat pid)) &\n" + script, columns: 80)
        try await terminal.lines(until: "password of ada")
        try await terminal.press("half")
        try terminal.write("go")
        let end = try await terminal.linesAtEnd()
        #expect(end == ["password of ada for 127.0.0.1:\(server.port):", "code 130"] + Self.isRestored, "\(end)")
        #expect(server.requests.isEmpty)
    }

    @Test(.enabled(if: Terminal.isPossible, "\(Terminal.absence)"))
    func `a job in the background cannot ask`() async throws {
        let server = try Self.server()
        let script = "set -m\npatchbay -u ada \(server.target()) &\nwait $!" + Self.state
        let terminal = try await Terminal(script, columns: 200)
        let end = try await terminal.linesAtEnd()
        let sentence = "no terminal can ask for the password here; -u NAME:PASSWORD and -u @FILE give it"
        #expect(end.contains("patchbay: " + sentence) && end.contains("code 2"), "\(end)")
        #expect(Self.isRestored.allSatisfy(end.contains), "\(end)")
        #expect(server.requests.isEmpty)
    }

    private static let setsid = "/usr/bin/setsid"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: setsid), "setsid is not installed (util-linux)"))
    func `without a terminal, the sentence names the other ways`() async throws {
        let server = try Self.server()
        let child = try await ChildProcess.run(
            Self.setsid, ["-w", try Binary.path, "-u", "ada", server.target()], environment: ["no_proxy": "*"])
        let sentence = "no terminal can ask for the password here; -u NAME:PASSWORD and -u @FILE give it"
        #expect(child.end == .exited(2))
        #expect(child.errorText == "patchbay: \(sentence)\n")
        #expect(server.requests.isEmpty)
    }

    /// No other program writes into the pipe.
    @Test(
        .enabled(if: Terminal.isPossible, "\(Terminal.absence)"),
        arguments: ["--bearer @pipe", "--json @-", "-u @pipe"])
    func `an interrupt ends the reading of a pipe or a terminal`(_ words: String) async throws {
        let server = try Self.server()
        let script = "trap : INT\nmkfifo pipe\npatchbay \(words) 127.0.0.1:\(server.port)\necho code $?"
        let terminal = try await Terminal(script, columns: 80)
        // The URL is shown before anything is read.
        try await terminal.lines(until: "http://127.0.0.1")
        try await terminal.press("C-c")
        #expect(try await terminal.linesAtEnd().contains { $0.hasSuffix("code 130") })
        #expect(server.requests.isEmpty)
    }

    @Test func `a token and JSON can come out of a pipe`() async throws {
        let server = try Self.server()
        let script = "exec \"$0\" --bearer @<(echo t0ken) --json @<(echo '[1]') \(server.target())"
        let child = try await ChildProcess.run(
            "/bin/bash", ["-c", script, try Binary.path], environment: ["no_proxy": "*"])
        #expect(child.end == .exited(0), "\(child.errorText)")
        let request = try #require(server.requests.first)
        #expect(request.fields["Authorization"] == "Bearer t0ken")
        #expect(request.text == "[1]\n")
    }

    // MARK: Status 401

    private static let user = "-u NAME sends a user name, and asks for the password"
    private static let bearer = "--bearer @FILE sends a token"

    /// The values of WWW-Authenticate, and the line.
    private static let challenges: [([String], String)] = [
        ([], user + "; " + bearer), (["Basic realm=\"x\""], user), (["bearer"], bearer),
        (["Basic realm=a, Bearer"], user + "; " + bearer),
        (["Digest realm=\"a, Bearer\", qop=\"auth\"", "Basic"], user),
        (["Digest realm=\"a\\\", Basic\""], "the server takes neither Basic (-u) nor Bearer (--bearer)"),
    ]

    @Test(arguments: challenges)
    func `after status 401 a line names the option, or says that the credentials were refused`(
        _ values: [String], _ hint: String
    ) async throws {
        var fields: HeaderFields = [:]
        for value in values { fields.append(value, for: "WWW-Authenticate") }
        let server = try RawServer(always: .response(status: 401, fields))
        let sent = [["-u", "a:b"], ["--bearer", "t"], ["-H", "Authorization: x"], ["-H", "X-Api-Key: x"]]
        for words in [[], ["--raw"], ["-H", "Cookie: id=1"]] + sent {
            let run = try await Binary.run(["get", server.target()] + words)
            let isRefused = sent.contains(words) && !hint.hasPrefix("the server takes neither")
            let line = isRefused ? "the credentials were sent, and refused" : hint
            #expect(run.errors.hasSuffix("\n  \(line)\n"), "\(words): \(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 2 && run.code == 5, "\(words)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a challenge of a hostile server takes no time`() async throws {
        // With a backslash at the end, too, which begins no escape.
        for end in ["", "\\"] {
            let value = String(repeating: "\"\\", count: 45_000) + end
            let server = try RawServer(always: .response(status: 401, ["WWW-Authenticate": value]))
            let run = try await Binary.run(["get", server.target()])
            #expect(
                run.errors.hasSuffix("\n  \(Self.user); \(Self.bearer)\n"), "\(run.errors)"
            )
        }
    }

    @Test func `a field that is no credential is none that was refused`() async throws {
        let server = try RawServer(always: .response(status: 401, ["WWW-Authenticate": "Basic"]))
        let run = try await Binary.run(["get", server.target(), "-H", "Idempotency-Key: 7"])
        #expect(run.errors.hasSuffix("\n  \(Self.user)\n"), "\(run.errors)")
    }

    @Test func `another status has no such line, and nor has a redirect that drops the credentials`() async throws {
        let forbidden = try RawServer(always: .response(status: 403, ["WWW-Authenticate": "Basic"]))
        let run = try await Binary.run(["get", forbidden.target()])
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        let other = try RawServer(always: .response(status: 401, ["WWW-Authenticate": "Basic"]))
        let server = try RawServer(always: .response(status: 302, ["Location": other.target()]))
        let redirected = try await Binary.run(["get", server.target(), "-u", "ada:pw"])
        #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
        #expect(
            redirected.errors.hasSuffix("\n  the credentials were not sent to the host of a redirect\n"),
            "\(redirected.errors)")
    }
}
