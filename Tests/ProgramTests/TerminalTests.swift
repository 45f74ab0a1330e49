import Foundation
import Patchbay
import TestSupport
import Testing

/// What a person sees in a window of 80 and of 200 columns, with colours and without.
@Suite(.enabled(if: Terminal.isPossible, "\(Terminal.absence)"), .timeLimit(.minutes(5))) struct TerminalTests {
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    private static func server() throws -> RawServer {
        let long = (1...30).map { "\"word \($0)\"" }.joined(separator: ", ")
        let image = Array(try #require(png))
        return try RawServer { request in
            switch request.target {
            case "/json":
                .response(
                    ["Content-Type": "application/json", "X-Own": "1"],
                    body: #"{"a": [1, true, null, "ü"], "b": [\#(long)]}"#)
            case "/xml":
                .response(["Content-Type": "application/xml"], body: "<a b=\"1\"><!-- c --><d>text</d></a>")
            case "/image": .response(["Content-Type": "image/png"], body: image)
            default:
                .response(
                    ["Content-Type": "text/event-stream"], body: "id: 7\ndata: one\n\nevent: own\ndata: two\n\n")
            }
        }
    }

    /// The words of each run, by the name of its part of the screen.
    private static func runs(_ server: RawServer) -> [(name: String, words: String)] {
        [
            ("demo", "demo"), ("help", "get --help"), ("commands", "--help"), ("routes", "routes"),
            ("json", "get -i \(server.target("/json"))"), ("xml", "get -i \(server.target("/xml"))"),
            ("image", "get -i \(server.target("/image"))"), ("events", "get -i \(server.target("/events"))"),
            ("missing", "get http://127.0.0.1:1/"),
        ]
    }

    @Test(arguments: [(80, true), (80, false), (200, true), (200, false)])
    func `everything fits the window, and has colours where they are wanted`(
        _ columns: Int, _ isColoured: Bool
    ) async throws {
        let server = try Self.server()
        let runs = Self.runs(server)
        let script = runs.map { "echo '=== \($0.name)'; patchbay \($0.words); echo" }.joined(separator: "\n")
        let terminal = try await Terminal(script, columns: columns, isColoured: isColoured)
        let shown = try await terminal.linesAtEnd()
        let coloured = try await terminal.lines(withColours: true)
        let parts = Self.parts(shown)
        #expect(parts.keys.sorted() == runs.map(\.name).sorted())
        for (name, lines) in parts {
            for line in lines { #expect(line.count <= columns, "\(name) is wider than \(columns): \(line)") }
            #expect(lines.contains { !$0.isEmpty }, "\(name)")
        }
        for (name, lines) in Self.parts(coloured) {
            let hasColours = lines.contains { $0.contains("\u{1B}[") }
            let isPlain = ["missing"].contains(name)
            #expect(hasColours == (isColoured && !isPlain), "\(name)")
        }
        // The wider window has the columns and the lines that the narrower one lacks.
        let json = try #require(parts["json"])
        #expect(json.prefix(3) == ["HTTP/1.1 200 OK", "Content-Type: application/json", "X-Own: 1"])
        #expect(json.contains(#"    "ü""#))
        #expect(parts["xml"]?.contains(#"<a b="1"><!-- c --><d>text</d></a>"#) == true)
        #expect(parts["events"]?.contains(#"{"type":"own","data":"two","lastEventID":"7"}"#) == true)
        #if Images || canImport(ImageIO)
            #expect(parts["image"]?.contains { $0.hasPrefix("image/png, 1 × 1 pixels, ") } == true)
        #endif
        let widest = parts.mapValues { $0.map(\.count).max() ?? 0 }
        if columns == 200 {
            for name in ["help", "routes"] { #expect(try #require(widest[name]) > 80, "\(name)") }
        }
    }

    /// The lines of each part, by its name.
    private static func parts(_ lines: [String]) -> [String: [String]] {
        var parts: [String: [String]] = [:]
        var name: String?
        for line in lines {
            if line.hasPrefix("=== ") {
                name = String(line.dropFirst(4))
            } else if line.contains("THE END") {
                break
            } else if let name {
                parts[name, default: []].append(line)
            }
        }
        return parts
    }

    @Test func `a pipe gets no escape sequence`() async throws {
        let server = try Self.server()
        for (name, words) in Self.runs(server) {
            let run = try await ChildProcess.run(
                try Binary.path, words.split(separator: " ").map(String.init),
                environment: ["no_proxy": "*", "TERM": "xterm-256color", "NO_COLOR": ""])
            #expect(!run.output.contains(0x1B) && !run.errors.contains(0x1B), "\(name)")
            #expect(!run.output.isEmpty || name == "missing", "\(name)")
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n\r\n"
    private static let half = [UInt8](repeating: 0x61, count: 100_000)

    @Test(arguments: [80, 200]) func `a slow download shows its progress, which is gone at the end`(
        _ columns: Int
    ) async throws {
        let gate = Gate()
        let server = try RawServer(
            always: RawReply([.send(Array(Self.head.utf8) + Self.half), .wait(gate), .send(Self.half)]))
        let terminal = try await Terminal("patchbay get -o out \(server.target())", columns: columns)
        let moving = try await terminal.lines(until: "received")
        let line = try #require(moving.first { $0.contains("received") })
        #expect(line.hasPrefix("received 100.0 kB of 200.0 kB, 50 %, "), "\(line)")
        #expect(line.hasSuffix("]") && line.contains("#-"), "\(line)")
        #expect(line.count < columns)
        gate.open()
        let end = try await terminal.linesAtEnd()
        #expect(end.count == 1 && end[0].hasPrefix("out, 200.0 kB, "), "\(end)")
    }

    @Test func `a slow upload shows its progress, which is gone at the end`() async throws {
        let gate = Gate()
        let server = try RawServer(readsBodies: false) { _ in
            RawReply(
                [.drop(100_000), .wait(gate), .drop(20_000_000 - 100_000)] + RawReply.response(body: "done").steps)
        }
        let script = "head -c 20000000 /dev/zero >body\npatchbay get -T body \(server.target())"
        let terminal = try await Terminal(script, columns: 80)
        let moving = try await terminal.lines(until: " of 20.0 MB")
        #expect(moving.contains { $0.hasPrefix("sent ") }, "\(moving)")
        gate.open()
        let end = try await terminal.linesAtEnd()
        #expect(end == ["done"], "\(end)")
    }

    @Test func `nothing moves during a fast download`() async throws {
        let server = try RawServer(always: .raw(Array(Self.head.utf8) + Self.half + Self.half))
        // What the terminal was given, with each move of the cursor.
        let script = """
            script -qec 'patchbay get -o out \(server.target())' bytes >shown; cat shown; tr -cd '\\033' <shown | wc -c
            script -qec 'patchbay get -s -O \(server.target("/new.txt"))' bytes >shown; wc -c <shown
            patchbay get -O \(server.target("/own.txt")) 2>shown; wc -c <shown
            patchbay get -O \(server.target("/named.txt?a=own"))
            """
        let terminal = try await Terminal(script, columns: 80)
        let lines = try await terminal.linesAtEnd()
        #expect(lines.count == 5 && lines.dropFirst().prefix(3) == ["0", "0", "8"], "\(lines)")
        #expect(lines.first?.wholeMatch(of: /out, 200.0 kB, [0-9.]+ m?s/) != nil, "\(lines)")
        #expect(lines.last?.hasPrefix("named.txt, 200.0 kB, ") == true, "\(lines)")
    }

    @Test func `the command says which URL it asks`() async throws {
        let server = try RawServer(always: .response(["Content-Type": "text/plain"], body: "text"))
        let url = "127.0.0.1:\(server.port)/?q=own&token=hush"
        let terminal = try await Terminal("patchbay '\(url)' 2>/dev/null; patchbay '\(url)'", columns: 80)
        let asked = "asking http://127.0.0.1:\(server.port)/?q=own&token=***"
        #expect(try await terminal.linesAtEnd() == ["text", asked, "text"])
    }

    @Test func `words of a table are whole in 80 columns`() async throws {
        let lines = try await Terminal("patchbay routes; patchbay routes --why", columns: 80).linesAtEnd()
        for type in ["application/x-www-", "form-urlencoded", "[ServerSentEvent]", "[\"@json\","] {
            #expect(lines.contains { $0.split(separator: " ").contains(type[...]) }, "\(type): \(lines)")
        }
        #expect(!lines.contains { $0.contains("…") }, "\(lines)")
    }

    @Test func `an interrupt leaves the line of the progress`() async throws {
        let server = try RawServer(always: RawReply([.send(Array(Self.head.utf8) + Self.half), .hang]))
        let terminal = try await Terminal(
            "trap : INT\npatchbay get -o out \(server.target())\necho code $?", columns: 80)
        try await terminal.lines(until: "received")
        try await terminal.press("C-c")
        let end = try await terminal.linesAtEnd()
        #expect(end.contains("code 130"), "\(end)")
        #expect(!end.contains { $0.contains("received") }, "\(end)")
    }
}
