import Foundation
import TestSupport
import Testing

@testable import PatchbayCLI

/// The program as the shell sees it: what goes where, and with which exit code.
@Suite(.timeLimit(.minutes(5))) struct BinaryTests {
    @Test func `help goes to standard output`() async throws {
        let run = try await Binary.run(["--help"])
        #expect(run.code == 0)
        #expect(run.output == Command.help(for: nil))
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: Command.Name.allCases) func `every command has help`(_ name: Command.Name) async throws {
        let run = try await Binary.run([name.rawValue, "--help"])
        #expect(run.code == 0)
        #expect(run.output == Command.help(for: name))
    }

    @Test func `the version is one line`() async throws {
        let run = try await Binary.run(["--version"])
        #expect(run.code == 0)
        #if os(Linux)
            #expect(run.output.hasPrefix("patchbay \(Program.version), libcurl/"))
            #expect(run.output.firstIndex(of: "\n") == run.output.indices.last)
        #else
            #expect(run.output == "patchbay \(Program.version)\n")
        #endif
    }

    @Test(arguments: UsageSentence.all) func `wrong words end with 2`(_ row: UsageSentence) async throws {
        let run = try await Binary.run(row.words)
        #expect(run.code == 2)
        #expect(run.output.isEmpty)
        // A sentence that names the help of its command needs no other hint.
        let hint = row.sentence.contains("--help") ? "" : "Try 'patchbay --help'.\n"
        #expect(run.errors == "patchbay: \(row.sentence)\n\(hint)")
    }

    #if os(Linux)
        @Test func `help loads neither libcurl nor FoundationNetworking nor gdk-pixbuf`() async throws {
            let child = try await ChildProcess.run(try Binary.path, ["--help"], environment: ["LD_DEBUG": "files"])
            #expect(child.errorText.contains("libFoundationEssentials"))
            #expect(!child.errorText.contains("libcurl"))
            #expect(!child.errorText.contains("FoundationNetworking"))
            #expect(!child.errorText.contains("gdk_pixbuf"))
        }

        @Test
        func `a libcurl that cannot be loaded is a failure of the transport, which names the package that has it`()
            async throws
        {
            let folder = TemporaryFolder()
            _ = try folder.write("no library", to: "libcurl.so.4")
            let child = try await ChildProcess.run(
                try Binary.path, ["get", "http://127.0.0.1:1/"], environment: ["LD_LIBRARY_PATH": folder.path],
                directory: folder.path)
            #expect(child.end == .exited(4))
            let sentence = "libcurl.so.4 cannot be loaded; Debian and Ubuntu have it in the package libcurl4\n"
            #expect(child.errorText.hasSuffix(sentence))
            let version = try await ChildProcess.run(
                try Binary.path, ["--version"], environment: ["LD_LIBRARY_PATH": folder.path], directory: folder.path)
            #expect(version.outputText == "patchbay \(Program.version), without libcurl\n")
        }
    #endif

    private static let pseudoterminal = "/usr/bin/script"

    /// What a body holds, and what a terminal and a pipe are given.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: pseudoterminal), "install util-linux, for script(1)"),
        arguments: [
            ("text/plain", "a\u{1B}[2Jb\rc\u{202E}d", #"a\u{1B}[2Jb\u{D}c\u{202E}d"#),
            ("text/plain", "a\r\nb\r\n", "a\r\nb"),
            ("text/plain", "a\u{7}\r\n\r\n", #"a\u{7}"# + "\r\n"),
            ("application/x-unheard-of", "raw\u{7}", #"raw\u{7}"#),
            ("application/x-unheard-of", "a\r\nb\r\n", "a\r\nb"),
            ("application/json", #"["\#u{9B}2J"]"#, "[\r\n  \"\\u{9B}2J\"\r\n]"),
        ])
    func `a terminal gets text that cannot command it, a pipe gets the bytes`(
        _ type: String, _ body: String, _ shown: String
    ) async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(body, to: "body")
        let words = ["decode", file, "--content-type", type]
        let piped = try await Binary.run(words)
        #expect(piped.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value > 126 })
        #expect(try await Self.terminal(words) == shown + "\r\n")
    }

    /// What a terminal shows of a run, which ends its lines with CRLF.
    private static func terminal(_ words: [String]) async throws -> String {
        let line = try ([Binary.path] + words).map { "'\($0)'" }.joined(separator: " ")
        return try await ChildProcess.run(pseudoterminal, ["-qec", "NO_COLOR=1 \(line)", "/dev/null"]).outputText
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: pseudoterminal), "install util-linux, for script(1)"))
    func `a terminal is shown a body that cannot be serialized`() async throws {
        let folder = TemporaryFolder()
        let body = try folder.write("{\u{1B}[2J\r\n\r", to: "body")
        let shown = try await Self.terminal(["decode", body, "--content-type", "application/json"])
        #expect(
            shown.hasPrefix(#"{\u{1B}[2J"# + "\r\n" + #"\u{D}"# + "\r\npatchbay: the entry json could not serialize "))
    }

    /// What a body holds, and what a terminal shows of it with `--raw`.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: pseudoterminal), "install util-linux, for script(1)"),
        arguments: [
            ("[1]", "[1]\r\n"), ("a\r\n\u{1B}b\n", "a\r\n" + #"\u{1B}b"# + "\r\n"), ("", ""),
            ("\r", #"\u{D}"# + "\r\n"),
            // Characters and a line end that lie across the pieces that are read.
            (String(repeating: "a", count: 65_535) + "é" + String(repeating: "é", count: 40_000), nil),
            (String(repeating: "a", count: 65_534) + "😀", nil),
            (String(repeating: "a", count: 65_535) + "\r\nb", String(repeating: "a", count: 65_535) + "\r\nb\r\n"),
            (
                String(repeating: "a", count: 65_535) + "\rb",
                String(repeating: "a", count: 65_535) + #"\u{D}b"# + "\r\n"
            ),
            ("a\0é", #"a\u{0}é"# + "\r\n"),
        ] as [(String, String?)])
    func `--raw on a terminal is escaped`(_ body: String, _ shown: String?) async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(body, to: "body")
        let found = try await Self.terminal(["decode", file, "--content-type", "application/json", "--raw"])
        #expect(found == shown ?? body + "\r\n")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: pseudoterminal), "install util-linux, for script(1)"),
        arguments: [
            ([0xFF, 0x1B], ""), (Array("text".utf8) + [0xE2, 0x82], "text\r\n"),
            ([UInt8](repeating: 0x61, count: 65_536) + [0x80], String(repeating: "a", count: 65_536) + "\r\n"),
        ] as [([UInt8], String)])
    func `--raw gives a terminal no bytes that are not text`(_ body: [UInt8], _ shown: String) async throws {
        let folder = TemporaryFolder()
        let file = folder.path + "/body"
        try Data(body).write(to: URL(fileURLWithPath: file))
        let found = try await Self.terminal(["decode", file, "--raw"])
        #expect(found == shown + "what follows is not text; -o FILE or a pipe takes it\r\n")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: pseudoterminal), "install util-linux, for script(1)"))
    func `a terminal is not given bytes that are not text`() async throws {
        let folder = TemporaryFolder()
        let file = folder.path + "/body"
        try Data([0xFF, 0x1B]).write(to: URL(fileURLWithPath: file))
        #expect(
            try await Self.terminal(["decode", file]) == "2 bytes that are not text; -o FILE or a pipe takes them\r\n")
    }
}
